import { type FieldError, invalidError, type KubeObject } from '@fnlet/machinery';
import { badRequest, notImplemented } from '../answer/status-texts.ts';
import { forbidden, invalid } from '../builtins/refusal.ts';
import { listField, objectField, textField } from '../object/object-form.ts';
import { requireObject } from '../object/objects.ts';
import type { ApiResponse } from '../request/api-request.ts';
import { parseFlag, parseInteger } from '../request/request-options.ts';
import { type ResourceRequest, routeKey } from '../request/resource-request.ts';
import { chooseContainer } from './pod-container.ts';
import type { LogOptions } from './pod-runtime.ts';

/** What a client can say of them. */
type StatedLogOptions = Omit<LogOptions, 'awaitsRun'>;

/**
 * GET of a container's log: plain text, as long as it is followed.
 *
 * @throws StatusError `NotFound`, `Invalid` (options), `BadRequest` (no such container, or nothing
 *   to read yet), `NotImplemented` (this server runs no Pods)
 */
export async function getPodLog(asked: ResourceRequest): Promise<ApiResponse> {
  const { context, resource, route, request } = asked;
  const { object: pod } = requireObject(context, resource, routeKey(route));
  const stated = parseLogOptions(
    request.query,
    chooseContainer(pod, request.query),
    request.signal,
  );
  checkLogOptions(pod, stated);
  const options = { ...stated, awaitsRun: checkRun(pod, stated) };
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
): StatedLogOptions {
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
  return options;
}

// pkg/apis/core/validation, ValidatePodLogOptions
function checkLogOptions(pod: KubeObject, options: StatedLogOptions): void {
  const { tailLines = 0, limitBytes = 1, sinceSeconds = 1 } = options;
  const errors: FieldError[] = [];
  if (tailLines < 0) {
    errors.push(invalid('tailLines', tailLines, 'must be greater than or equal to 0'));
  }
  if (limitBytes < 1) errors.push(invalid('limitBytes', limitBytes, 'must be greater than 0'));
  if (options.sinceSeconds !== undefined && options.sinceTime !== undefined) {
    errors.push(forbidden('[]', 'at most one of `sinceTime` or `sinceSeconds` may be specified'));
  } else if (sinceSeconds < 1) {
    errors.push(invalid('sinceSeconds', sinceSeconds, 'must be greater than 0'));
  }
  if (errors.length === 0) return;
  throw invalidError({ group: '', kind: 'PodLogOptions' }, pod.metadata.name, errors);
}

/**
 * Whether its next run is waited for (pkg/kubelet, validateContainerLogStatus).
 *
 * @throws StatusError `BadRequest` when there was no such run yet
 */
function checkRun(pod: KubeObject, { container, previous }: StatedLogOptions): boolean {
  const lists = ['containerStatuses', 'initContainerStatuses', 'ephemeralContainerStatuses'];
  const statuses = lists.flatMap((list) => listField(objectField(pod, 'status'), list));
  const status = statuses.find(({ name }) => name === container);
  const state = objectField(status ?? {}, 'state');
  const waiting = objectField(state, 'waiting');
  const hasRun = objectField(status ?? {}, 'lastState').terminated !== undefined;
  const { name } = pod.metadata;
  if (previous && !hasRun) {
    throw badRequest(`previous terminated container "${container}" in pod "${name}" not found`);
  }
  if (state.waiting === undefined || hasRun) return state.waiting !== undefined;
  const reason = textField(waiting, 'reason') || 'waiting to start';
  throw badRequest(`container "${container}" in pod "${name}" is waiting to start: ${reason}`);
}
