import type { KubeObject } from '@fnlet/machinery';
import type { ApiResponse } from './api-request.ts';
import { listField, objectField, textField } from './object-form.ts';
import { requireObject } from './objects.ts';
import { chooseContainer } from './pod-container.ts';
import type { LogOptions } from './pod-runtime.ts';
import { parseFlag, parseInteger } from './request-options.ts';
import { type ResourceRequest, routeKey } from './resource-request.ts';
import { badRequest, notImplemented } from './status-texts.ts';

/**
 * GET of a container's log: plain text, as long as it is followed.
 *
 * @throws StatusError `NotFound`, `BadRequest` (no such container, or nothing to read yet),
 *   `NotImplemented` (this server runs no Pods)
 */
export async function getPodLog(asked: ResourceRequest): Promise<ApiResponse> {
  const { context, resource, route, request } = asked;
  const { object: pod } = requireObject(context, resource, routeKey(route));
  const options = parseLogOptions(
    request.query,
    chooseContainer(pod, request.query),
    request.signal,
  );
  checkStarted(pod, options);
  if (context.podRuntime === undefined) {
    throw notImplemented('this API server has no runtime for Pods: there are no logs to read');
  }
  // The first chunk is waited for, so that a failure to open the log still gets a Status.
  const chunks = context.podRuntime.logs(pod, options)[Symbol.asyncIterator]();
  const first = options.follow ? undefined : await chunks.next();
  return {
    status: 200,
    headers: { 'content-type': 'text/plain' },
    body: { kind: 'stream', chunks: resume(first, chunks) },
  };
}

async function* resume(
  first: IteratorResult<Uint8Array> | undefined,
  rest: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    let result = first ?? (await rest.next());
    while (result.done !== true) {
      yield result.value;
      result = await rest.next();
    }
  } finally {
    await rest.return?.();
  }
}

function parseLogOptions(
  query: URLSearchParams,
  container: string,
  signal: AbortSignal,
): LogOptions {
  const sinceTime = query.get('sinceTime') ?? undefined;
  const options = {
    container,
    follow: parseFlag(query, 'follow') ?? false,
    previous: parseFlag(query, 'previous') ?? false,
    tailLines: parseInteger(query, 'tailLines'),
    sinceSeconds: parseInteger(query, 'sinceSeconds'),
    sinceTime,
    timestamps: parseFlag(query, 'timestamps') ?? false,
    limitBytes: parseInteger(query, 'limitBytes'),
    signal,
  };
  if ((options.tailLines ?? 0) < 0)
    throw badRequest('tailLines must be greater than or equal to 0');
  if ((options.limitBytes ?? 1) < 1) throw badRequest('limitBytes must be greater than 0');
  if (options.sinceSeconds !== undefined && sinceTime !== undefined) {
    throw badRequest('at most one of `sinceTime` or `sinceSeconds` may be specified');
  }
  return options;
}

function checkStarted(pod: KubeObject, { container, previous }: LogOptions): void {
  const statuses = listField(objectField(pod, 'status'), 'containerStatuses');
  const status = statuses.find(({ name }) => name === container);
  const state = objectField(status ?? {}, 'state');
  const waiting = objectField(state, 'waiting');
  const hasRun = objectField(status ?? {}, 'lastState').terminated !== undefined;
  const { name } = pod.metadata;
  if (previous && !hasRun) {
    throw badRequest(`previous terminated container "${container}" in pod "${name}" not found`);
  }
  if (state.waiting === undefined || hasRun) return;
  const reason = textField(waiting, 'reason') || 'waiting to start';
  throw badRequest(`container "${container}" in pod "${name}" is waiting to start: ${reason}`);
}
