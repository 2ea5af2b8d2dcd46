import { type ApiRequest, type ApiResponse, jsonResponse, textResponse } from './api-request.ts';
import { handleOpenId, openIdPaths } from './auth/open-id.ts';
import type { TokenIssuer } from './auth/token-issuer.ts';
import type { Catalog } from './catalog.ts';
import { pageNotFound } from './discovery-handler.ts';
import { answerHealth, type HealthChecks, healthPaths, parseHealthPath } from './health.ts';
import type { OpenApiIndex } from './open-api-index.ts';
import { emptyOpenApiV2 } from './open-api-v2.ts';
import { serverVersion } from './server-version.ts';

/** What such requests are answered from. */
export interface OtherParts {
  readonly catalog: Catalog;
  readonly openApi: OpenApiIndex;
  readonly tokenIssuer: TokenIssuer;
  readonly health: HealthChecks;
  readonly metrics: () => ApiResponse;
}

/** Answers a request outside the resources: health, metrics, version, OpenAPI, list of paths. */
export function handleOther(
  { catalog, openApi, tokenIssuer, health, metrics }: OtherParts,
  path: string,
  request: ApiRequest,
): ApiResponse | Promise<ApiResponse> {
  const trimmed = path === '/' ? path : path.replace(/\/+$/, '');
  const healthPath = parseHealthPath(trimmed);
  const answer = healthPath && answerHealth(healthPath, health, request);
  if (answer !== undefined) return answer;
  if (trimmed === '/metrics') return metrics();
  if (trimmed === '/version') return jsonResponse(200, serverVersion);
  if (trimmed === '/openapi/v2') return openApiV2(request);
  if (trimmed === '/openapi/v3') return jsonResponse(200, openApi.index());
  if (trimmed.startsWith('/openapi/v3/')) return openApiV3(openApi, trimmed, request);
  if (openIdPaths.includes(trimmed)) return handleOpenId(tokenIssuer, trimmed, request);
  return jsonResponse(path === '/' ? 200 : 404, { paths: servedPaths(catalog) });
}

const oneYearSeconds = 365 * 24 * 3600;

function openApiV3(openApi: OpenApiIndex, path: string, request: ApiRequest): ApiResponse {
  const key = path.slice('/openapi/v3/'.length);
  const document = openApi.find(key);
  if (document === undefined) return pageNotFound();
  const { value, hash } = document;
  const asked = request.query.get('hash');
  const etag = `"${hash}"`;
  if (asked !== null && asked !== hash) {
    const location = `/openapi/v3/${key}?hash=${hash}`;
    return { ...textResponse(301, ''), headers: { 'content-type': 'text/plain', location } };
  }
  // With the right hash the document can never change, so clients may keep it for good.
  const cache =
    asked === null ? 'no-cache, private' : `public, immutable, max-age=${oneYearSeconds}`;
  const headers = { etag, vary: 'Accept', 'cache-control': cache };
  if (request.headers['if-none-match'] === etag) return { ...textResponse(304, ''), headers };
  return jsonResponse(200, value, headers);
}

function openApiV2(request: ApiRequest): ApiResponse {
  const accept = request.headers.accept ?? '';
  if (!accept.includes('protobuf')) {
    const info = { title: 'Kubernetes', version: serverVersion.gitVersion };
    return jsonResponse(200, { swagger: '2.0', info, paths: {} });
  }
  // Go's MIME parser refuses the type that clients ask for ("@" in it), so another is answered.
  const type = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';
  const body = { kind: 'bytes' as const, bytes: emptyOpenApiV2(serverVersion.gitVersion) };
  return { status: 200, headers: { 'content-type': type }, body };
}

const fixedPaths = ['/api', '/apis', '/metrics', '/openapi/v2', '/openapi/v3', '/version'];

function servedPaths(catalog: Catalog): readonly string[] {
  const paths = [...fixedPaths, ...healthPaths, ...openIdPaths];
  for (const group of catalog.groups()) {
    const root = group === '' ? '/api' : `/apis/${group}`;
    paths.push(root, ...catalog.versions(group).map((version) => `${root}/${version}`));
  }
  return [...new Set(paths)].sort();
}
