/**
 * Events as they come, for those who may see a namespace, by the roles that they have:
 *
 *     GET /apis/events.fnlet.dev/v1alpha1[/namespaces/<ns>]/cloudevents?trigger=|broker=&since=&data=
 *     GET …&watch=true
 *
 * The answer is lines of JSON. What is kept since a time comes first: what a Broker keeps, what
 * waits at a Trigger, its dead letters. With `watch` what happens from now on follows, in this
 * process, until the caller goes.
 */
import type { ApiRequest, ApiResponse, ResourceRoute } from '@fnlet/apiserver';
import { asksForWatch } from '@fnlet/apiserver';
import { hasCode } from '@fnlet/base';
import { formatHappening, type TailQuery } from '@fnlet/eventing/tail';
import { statusError } from '@fnlet/machinery';
import type { LateEventTail } from './late-event-tail.ts';

/** Answers one request about events. */
export async function answerCloudEvents(
  events: LateEventTail,
  route: ResourceRoute,
  request: ApiRequest,
): Promise<ApiResponse> {
  const { name, subresource } = route;
  if (name !== undefined || subresource !== undefined || request.method !== 'GET') {
    throw statusError('MethodNotAllowed', 'cloudevents are listed and watched, nothing else');
  }
  const query = readQuery(route, request.query);
  const sinceMs = readSince(request.query);
  const isWatch = asksForWatch(route, request.query);
  const abort = new AbortController();
  const signal = AbortSignal.any([request.signal, abort.signal]);
  // Before the history is read: nothing falls in between, and what is in both is told twice.
  const lines = isWatch ? watch(events, query, signal) : undefined;
  try {
    const before = sinceMs === undefined ? [] : await events.history(query, sinceMs);
    const history = before.map((each) => formatHappening(each, query.withData)).join('');
    return {
      status: 200,
      headers: { 'content-type': 'application/x-ndjson' },
      body: { kind: 'stream', chunks: chunksOf(history, lines) },
    };
  } catch (error) {
    abort.abort();
    throw error;
  }
}

function watch(
  { tail }: LateEventTail,
  query: TailQuery,
  signal: AbortSignal,
): AsyncIterable<string> {
  try {
    return tail.watch(query, signal);
  } catch (error) {
    if (!hasCode(error, 'TooMany')) throw error;
    throw statusError('TooManyRequests', error.message, { retryAfterSeconds: 10 });
  }
}

async function* chunksOf(
  history: string,
  lines: AsyncIterable<string> | undefined,
): AsyncGenerator<Uint8Array, void, undefined> {
  if (history !== '') yield Buffer.from(history);
  if (lines === undefined) return;
  for await (const text of lines) yield Buffer.from(text);
}

function readQuery({ namespace }: ResourceRoute, query: URLSearchParams): TailQuery {
  const trigger = query.get('trigger') ?? undefined;
  const broker = query.get('broker') ?? undefined;
  if (trigger !== undefined && broker !== undefined) {
    throw statusError('BadRequest', 'give trigger or broker, not both');
  }
  const kind = trigger !== undefined ? 'Trigger' : broker !== undefined ? 'Broker' : undefined;
  return {
    namespace: namespace === '' ? undefined : namespace,
    kind,
    name: trigger ?? broker,
    withData: query.get('data') === 'true',
  };
}

function readSince(query: URLSearchParams): number | undefined {
  const text = query.get('since');
  if (text === null) return undefined;
  const timeMs = Date.parse(text);
  if (!Number.isNaN(timeMs)) return timeMs;
  throw statusError('BadRequest', `since is "${text}", expected a time as 2026-01-31T12:00:00Z`);
}
