/**
 * Dead letters as those see them who may see a namespace, by the roles that they have:
 *
 *     GET    /apis/events.fnlet.dev/v1alpha1[/namespaces/<ns>]/deadletters?<which>&limit=
 *     DELETE /apis/events.fnlet.dev/v1alpha1/namespaces/<ns>/deadletters?<which>   drops them
 *     GET    …/deadletters/<trigger>.<number>   with the data of its event
 *     DELETE …/deadletters/<trigger>.<number>   drops it
 *     POST   /apis/events.fnlet.dev/v1alpha1/namespaces/<ns>/replays?<which>&to=&rate=
 *
 * `<which>` is trigger, type, source, id, reason, number, since and until (RFC 3339). They are
 * events, not objects: there may be a million of them.
 */
import type { ApiRequest, ApiResponse, ResourceRoute } from '@fnlet/apiserver/extension';
import { toDocument } from '@fnlet/apiserver/extension';
import { type Clock, hasCode } from '@fnlet/base';
import type { LettersQuery, TriggerLetters } from '@fnlet/eventing';
import { statusError } from '@fnlet/machinery';
import { deadLettersListMax, replayRateMin } from './limits.ts';

const apiVersion = 'events.fnlet.dev/v1alpha1';

/** What is asked, and of what. */
export interface DeadLettersAsked {
  /** `undefined`: no Trigger delivers events. */
  readonly letters: TriggerLetters | undefined;
  readonly route: ResourceRoute;
  readonly request: ApiRequest;
  readonly clock: Clock;
}

/** Answers one request about dead letters. */
export async function answerDeadLetters(asked: DeadLettersAsked): Promise<ApiResponse> {
  try {
    return answer(await answerAsked(asked));
  } catch (error) {
    if (hasCode(error, 'NotFound')) throw statusError('NotFound', error.message);
    if (hasCode(error, 'InvalidTarget')) throw statusError('BadRequest', error.message);
    if (hasCode(error, 'NotHere')) throw statusError('Conflict', error.message);
    // It is not this API that is unavailable: who takes that for the whole house looks elsewhere.
    if (hasCode(error, 'NotTaken')) throw statusError('Conflict', error.message);
    throw error;
  }
}

async function answerAsked(asked: DeadLettersAsked): Promise<object> {
  const { letters, route, request } = asked;
  const { plural, name, namespace, subresource } = route;
  const { method } = request;
  if (subresource !== undefined || !['deadletters', 'replays'].includes(plural)) {
    throw statusError(
      'NotFound',
      'there are deadletters, replays and cloudevents here, nothing else',
    );
  }
  const one = name === undefined ? '' : ' one';
  switch (`${method} ${plural}${one}`) {
    case 'GET deadletters':
      return list(letters, namespace, request.query);
    case 'DELETE deadletters': {
      const query = readQuery(requireNamespace(namespace), request.query);
      const dropped = (await letters?.drop(query)) ?? 0;
      return { apiVersion, kind: 'DeadLettersDropped', dropped };
    }
    case 'GET deadletters one':
      return viewed(await letters?.get(namespace, name ?? ''), name);
    case 'DELETE deadletters one':
      return viewed(await letters?.remove(namespace, name ?? ''), name);
    case 'POST replays':
      return replay(asked);
    default:
      throw statusError(
        'MethodNotAllowed',
        'deadletters are read and deleted, replays are created by POST',
      );
  }
}

async function list(
  letters: TriggerLetters | undefined,
  namespace: string,
  query: URLSearchParams,
): Promise<object> {
  const limit = query.get('limit') ?? String(deadLettersListMax);
  if (!/^\d{1,6}$/.test(limit) || Number(limit) === 0) {
    throw statusError('BadRequest', `limit is "${limit}", expected a number above 0`);
  }
  const asked = readQuery(namespace, query);
  const most = Math.min(Number(limit), deadLettersListMax);
  const { letters: items = [], hasMore = false } = (await letters?.list(asked, most)) ?? {};
  return { apiVersion, kind: 'DeadLetterList', metadata: {}, items, hasMore };
}

async function replay({ letters, route, request, clock }: DeadLettersAsked): Promise<object> {
  const { query } = request;
  const rate = query.get('rate');
  if (rate !== null && !(Number(rate) >= replayRateMin)) {
    const expected = `expected events a second, at least ${replayRateMin}`;
    throw statusError('BadRequest', `rate is "${rate}", ${expected}`);
  }
  const { filter, ...whose } = readQuery(requireNamespace(route.namespace), query);
  // What is given up again meanwhile is for another replay.
  const untilMs = filter.untilMs ?? clock.now() + 1;
  const asked = {
    ...{ ...whose, filter: { ...filter, untilMs } },
    to: query.get('to') ?? undefined,
    perSecond: rate === null ? undefined : Number(rate),
  };
  const done = await letters?.replay(asked, request.signal);
  const { replayed = 0, isDone = true } = done ?? {};
  const until = new Date(untilMs).toISOString();
  return { apiVersion, kind: 'Replay', replayed, isDone, until };
}

function viewed(view: object | undefined, name: string | undefined): object {
  if (view !== undefined) return { apiVersion, kind: 'DeadLetter', ...view };
  throw statusError('NotFound', `Cannot find dead letter "${name}": there is none`);
}

function requireNamespace(namespace: string): string {
  if (namespace !== '') return namespace;
  throw statusError('BadRequest', 'dead letters are replayed and dropped in one namespace');
}

function readQuery(namespace: string, query: URLSearchParams): LettersQuery {
  const [type, source, id, reason] = ['type', 'source', 'id', 'reason'].map(
    (name) => query.get(name) ?? undefined,
  );
  const number = readNumber(query);
  const sinceMs = readTime(query, 'since');
  const untilMs = readTime(query, 'until');
  return {
    namespace: namespace === '' ? undefined : namespace,
    trigger: query.get('trigger') ?? undefined,
    filter: {
      ...(type === undefined ? {} : { type }),
      ...(source === undefined ? {} : { source }),
      ...(id === undefined ? {} : { id }),
      ...(reason === undefined ? {} : { reason }),
      ...(number === undefined ? {} : { number }),
      ...(sinceMs === undefined ? {} : { sinceMs }),
      ...(untilMs === undefined ? {} : { untilMs }),
    },
  };
}

function readNumber(query: URLSearchParams): number | undefined {
  const text = query.get('number');
  if (text === null) return undefined;
  if (/^[1-9]\d{0,15}$/.test(text)) return Number(text);
  throw statusError('BadRequest', `number is "${text}", expected the number of a dead letter`);
}

function readTime(query: URLSearchParams, name: 'since' | 'until'): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  const timeMs = Date.parse(text);
  if (!Number.isNaN(timeMs)) return timeMs;
  throw statusError('BadRequest', `${name} is "${text}", expected a time as 2026-01-31T12:00:00Z`);
}

function answer(document: object): ApiResponse {
  return {
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: { kind: 'json', document: toDocument({ ...document }) },
  };
}
