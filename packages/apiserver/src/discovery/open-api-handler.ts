import {
  type ApiRequest,
  type ApiResponse,
  jsonResponse,
  textResponse,
} from '../request/api-request.ts';
import type { OpenApiDocument, OpenApiIndex } from './open-api-index.ts';

interface OpenApiParts {
  readonly openApi: OpenApiIndex;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** Answers a request below `/openapi`; `undefined` for a document that is not there. */
export function answerOpenApi(
  parts: OpenApiParts,
  path: string,
  request: ApiRequest,
): ApiResponse | undefined {
  if (path === '/openapi/v2') return openApiV2(parts.openApi, request);
  if (path === '/openapi/v3') return jsonResponse(200, parts.openApi.index());
  const root = '/openapi/v3/';
  return path.startsWith(root) ? openApiV3(parts, path.slice(root.length), request) : undefined;
}

const oneYearSeconds = 365 * 24 * 3600;

function openApiV3(
  { openApi, now }: OpenApiParts,
  key: string,
  request: ApiRequest,
): ApiResponse | undefined {
  const document = openApi.find(key);
  if (document === undefined) return undefined;
  const { hash } = document;
  const asked = request.query.get('hash');
  if (asked !== null && asked !== hash) {
    const location = `/openapi/v3/${key}?hash=${hash}`;
    return { ...textResponse(301, ''), headers: { 'content-type': 'text/plain', location } };
  }
  // With the right hash the document can never change, so clients may keep it for good.
  const forGood = `public, immutable, max-age=${oneYearSeconds}`;
  const headers: Readonly<Record<string, string>> =
    asked === null ? {} : { 'cache-control': forGood, expires: oneYearFrom(now) };
  return openApiResponse(document, request, { ...headers, 'content-type': 'application/json' });
}

function oneYearFrom(now: number): string {
  return new Date(now + oneYearSeconds * 1000).toUTCString();
}

// Go's MIME parser refuses the type that clients ask for ("@" in it), so another is answered.
const gnosticType = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';

function openApiV2(openApi: OpenApiIndex, request: ApiRequest): ApiResponse {
  const isProtobuf = (request.headers.accept ?? '').includes('proto-openapi.spec.v2');
  const document = openApi.whole(isProtobuf ? 'protobuf' : 'json');
  const type = isProtobuf ? gnosticType : 'application/json';
  return openApiResponse(document, request, { 'content-type': type });
}

function openApiResponse(
  { content, hash }: OpenApiDocument,
  request: ApiRequest,
  given: Readonly<Record<string, string>>,
): ApiResponse {
  const etag = `"${hash}"`;
  const headers = { etag, vary: 'Accept', 'cache-control': 'no-cache, private', ...given };
  if (request.headers['if-none-match'] === etag) {
    return { ...textResponse(304, ''), headers: { ...headers, 'content-type': 'text/plain' } };
  }
  const body: ApiResponse['body'] =
    typeof content === 'string'
      ? { kind: 'text', text: content }
      : { kind: 'bytes', bytes: content };
  return { status: 200, headers, body };
}
