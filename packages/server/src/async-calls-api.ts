/**
 * Asynchronous calls as those see them who may see a namespace, by the roles that they have:
 *
 *     GET    /apis/calls.fnlet.dev/v1alpha1[/namespaces/<ns>]/calls?function=&state=&limit=
 *     GET    /apis/calls.fnlet.dev/v1alpha1/namespaces/<ns>/calls/<id>
 *     DELETE …/calls/<id>          takes it back
 *     POST   …/calls/<id>/retry    tries it anew
 *
 * Not objects: ten thousand of them an hour would be too many for what watches objects.
 */
import type { ApiRequest, ApiResponse, ResourceRoute } from '@fnlet/apiserver/extension';
import { toDocument } from '@fnlet/apiserver/extension';
import { hasCode } from '@fnlet/base';
import type { AsyncCalls, CallPhase, CallQuery, CallView } from '@fnlet/eventing/async';
import { callPhases } from '@fnlet/eventing/async';
import { statusError } from '@fnlet/machinery';
import { callsListMax } from './limits.ts';

const apiVersion = 'calls.fnlet.dev/v1alpha1';

/** Answers one request about calls; `undefined`: there never was one. */
export async function answerCalls(
  calls: AsyncCalls | undefined,
  route: ResourceRoute,
  request: ApiRequest,
): Promise<ApiResponse> {
  const { plural, name, namespace, subresource } = route;
  if (plural !== 'calls') throw statusError('NotFound', `there are no ${plural} here`);
  if (name === undefined) {
    if (request.method !== 'GET') throw notAllowed('calls are listed, nothing else');
    const items = calls?.list(readQuery(namespace, request.query)) ?? [];
    return answer(200, { apiVersion, kind: 'CallList', metadata: {}, items });
  }
  if (calls === undefined) throw notFound(name);
  try {
    return answer(200, await answerOne(calls, { name, namespace, subresource }, request.method));
  } catch (error) {
    if (hasCode(error, 'NotFound')) throw notFound(name);
    if (hasCode(error, 'Finished') || hasCode(error, 'Running')) {
      throw statusError('Conflict', error.message);
    }
    if (hasCode(error, 'QueueFull') || hasCode(error, 'FunctionQueueFull')) {
      throw statusError('TooManyRequests', error.message, { retryAfterSeconds: 5 });
    }
    throw error;
  }
}

async function answerOne(
  calls: AsyncCalls,
  {
    name,
    namespace,
    subresource,
  }: Pick<ResourceRoute, 'namespace' | 'subresource'> & { readonly name: string },
  method: string,
): Promise<CallView> {
  const found = calls.find(name);
  // Who may look into one namespace does not see by that what is in another.
  if (found.namespace !== namespace) throw notFound(name);
  const asked = subresource === undefined ? method : `${method} ${subresource}`;
  switch (asked) {
    case 'GET':
      return found;
    case 'DELETE':
      return calls.cancel(name);
    case 'POST retry':
      return calls.redrive(name);
    default:
      throw notAllowed('calls are read and deleted, and POST …/retry tries them anew');
  }
}

function readQuery(namespace: string, query: URLSearchParams): CallQuery {
  const limit = query.get('limit') ?? String(callsListMax);
  if (!/^\d{1,6}$/.test(limit) || Number(limit) === 0) {
    throw statusError('BadRequest', `limit is "${limit}", expected a number above 0`);
  }
  return {
    namespace: namespace === '' ? undefined : namespace,
    function: query.get('function') ?? undefined,
    phase: readPhase(query.get('state')),
    limit: Math.min(Number(limit), callsListMax),
  };
}

function readPhase(text: string | null): CallPhase | undefined {
  if (text === null) return undefined;
  const phase = callPhases.find((known) => known === text);
  if (phase !== undefined) return phase;
  throw statusError('BadRequest', `state is "${text}", expected one of ${callPhases.join(', ')}`);
}

function answer(status: number, document: object): ApiResponse {
  return {
    status,
    headers: { 'content-type': 'application/json' },
    body: { kind: 'json', document: toDocument({ ...document }) },
  };
}

function notFound(name: string): Error {
  return statusError('NotFound', `calls.calls.fnlet.dev "${name}" not found`);
}

function notAllowed(message: string): Error {
  return statusError('MethodNotAllowed', message);
}
