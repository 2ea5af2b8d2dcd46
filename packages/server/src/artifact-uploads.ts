/**
 * Uploads of sources that do not fit into an object, in pieces that fit into a request:
 *
 *     GET /apis/artifacts.fnlet.dev/v1alpha1/namespaces/<ns>/artifacts/<digest>
 *     PUT …  {"offset": 0, "data": "<base64>", "last": false}
 *
 * Both answer what is there of it: `{"bytes": 2097152, "complete": false}`.
 */
import type { ApiRequest, ApiResponse, ResourceRoute } from '@fnlet/apiserver/extension';
import { toDocument } from '@fnlet/apiserver/extension';
import { errorMessage, hasCode, isJsonObject } from '@fnlet/base';
import type { UploadPart, UploadState, UploadStore } from '@fnlet/executor';
import { statusError } from '@fnlet/machinery';

/** Answers one request for an upload. */
export async function answerUpload(
  store: Pick<UploadStore, 'look' | 'add'>,
  route: ResourceRoute,
  request: ApiRequest,
): Promise<ApiResponse> {
  const { plural, namespace, name: digest = '' } = route;
  const isKnown = plural === 'artifacts' && /^[a-z0-9-]{1,63}$/.test(namespace);
  if (!isKnown || !/^[0-9a-f]{64}$/.test(digest)) throw notFound(digest);
  const key = { namespace, digest };
  if (request.method === 'GET') {
    const found = await store.look(key);
    if (found === undefined) throw notFound(digest);
    return answer(found);
  }
  if (request.method !== 'PUT') {
    throw statusError('MethodNotAllowed', 'artifacts are read and put, nothing else');
  }
  try {
    return answer(await store.add(key, readPart(request)));
  } catch (error) {
    if (hasCode(error, 'TooLarge')) throw refuse('RequestEntityTooLarge', error);
    if (hasCode(error, 'ChecksumMismatch')) throw refuse('Invalid', error);
    throw error;
  }
}

function readPart({ body }: ApiRequest): UploadPart {
  const value = body?.kind === 'bytes' ? parseJson(body.bytes) : body?.value;
  if (isJsonObject(value)) {
    const { offset, data, last } = value;
    if (isCount(offset) && typeof data === 'string' && typeof last === 'boolean') {
      return { offset, bytes: Buffer.from(data, 'base64'), isLast: last };
    }
  }
  throw statusError('BadRequest', 'expected {"offset": number, "data": base64, "last": boolean}');
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch {
    return undefined;
  }
}

function answer({ bytes, isComplete }: UploadState): ApiResponse {
  return {
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: { kind: 'json', document: toDocument({ bytes, complete: isComplete }) },
  };
}

function notFound(digest: string): Error {
  return statusError('NotFound', `artifacts.artifacts.fnlet.dev "${digest}" not found`);
}

function refuse(reason: 'RequestEntityTooLarge' | 'Invalid', error: unknown): Error {
  return statusError(reason, errorMessage(error));
}
