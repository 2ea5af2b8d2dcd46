import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isJsonObject } from '@fnlet/base';
import { Bindings, differences } from './golden-match.ts';
import { documentedCounts, knownDifferences } from './known-differences.ts';
import type { Answer, OpenedServer } from './opened-server.ts';

/** One recorded request and its answer. */
export interface Exchange {
  readonly id: string;
  readonly request: {
    readonly method: string;
    readonly path: string;
    readonly query?: Readonly<Record<string, string>>;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: unknown;
    readonly bodyText?: string;
    readonly authorization?: string;
  };
  readonly response: {
    readonly status: number;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: unknown;
    readonly bodyText?: string;
    readonly events?: readonly unknown[];
  };
  readonly during?: readonly Exchange[];
}

/** The recorded exchanges; `undefined` where the shared data is not present. */
export function readGolden(file: string): readonly Exchange[] | undefined {
  for (let at = import.meta.dirname; at !== dirname(at); at = dirname(at)) {
    try {
      const path = join(at, '..', 'shared', 'vectors', 'kubernetes', file);
      return JSON.parse(readFileSync(path, 'utf8')).exchanges;
    } catch {}
  }
  return undefined;
}

export interface Outcome {
  readonly id: string;
  readonly problems: readonly string[];
}

/** Done between recorded requests; `pause` lets the controllers do their work. */
export type Step = (server: OpenedServer, pause: () => Promise<void>) => Promise<unknown>;

/** What was done to the recorded server without being recorded. */
export interface Steps {
  /** What happened between the recorded requests, by the id of the exchange that it precedes. */
  readonly before?: Readonly<Record<string, Step>>;
  /** What happened while a recorded watch was open. */
  readonly during?: Readonly<Record<string, Step>>;
}

export interface ReplayOptions extends Steps {
  /** Lets what is under way go on until nothing more happens. */
  readonly pause: () => Promise<void>;
  /** Rewrites answers where two servers may differ, such as in descriptions. */
  readonly normalise: (value: unknown) => unknown;
}

/** Sends the recorded requests in order and compares the answers. */
export async function replay(
  server: OpenedServer,
  exchanges: readonly Exchange[],
  options: ReplayOptions,
): Promise<readonly Outcome[]> {
  const bindings = new Bindings();
  const outcomes: Outcome[] = [];
  const run = async (exchange: Exchange): Promise<void> => {
    await options.before?.[exchange.id]?.(server, options.pause);
    const problems =
      exchange.response.events === undefined
        ? await compareAnswer(server, exchange, { bindings, options })
        : await compareWatch(server, exchange, { bindings, options, run });
    outcomes.push({ id: exchange.id, problems });
  };
  for (const exchange of exchanges) await run(exchange);
  return outcomes;
}

/**
 * Prints how many answers are the same and how many differ for which reason, and fails where an
 * answer differs and nobody said why, or is the same and somebody said that it is not.
 */
export function reportOutcomes(
  outcomes: readonly Outcome[],
  file: string,
  say: (text: string) => void,
): void {
  const known = knownDifferences(file);
  const different = outcomes.filter(({ problems }) => problems.length > 0);
  const reasons = Map.groupBy(different, ({ id }) => known.get(id) ?? 'unexpected');
  say(`${outcomes.length} recorded answers`);
  say(`${String(outcomes.length - different.length).padStart(4)} the same`);
  for (const [reason, { length }] of reasons) say(`${String(length).padStart(4)} ${reason}`);
  const texts = different
    .filter(({ id }) => !known.has(id))
    .map(({ id, problems }) => `${id}\n    ${problems.join('\n    ')}`);
  assert.equal(texts.length, 0, `differ unexpectedly: ${texts.join('\n')}`);
  const differing = new Set(different.map(({ id }) => id));
  const settled = [...known.keys()].filter((id) => !differing.has(id));
  assert.deepEqual(settled, [], 'are said to differ, and do not');
  const counts = [outcomes.length, outcomes.length - different.length, different.length];
  assert.deepEqual(documentedCounts(file), counts, 'the counts on the page');
}

async function send(
  server: OpenedServer,
  { request }: Exchange,
  { bindings, signal }: { bindings: Bindings; signal?: AbortSignal },
): Promise<Answer> {
  const headers = Object.fromEntries(
    Object.entries(request.headers ?? {}).map(([key, value]) => [key.toLowerCase(), value]),
  );
  const { 'content-type': contentType, ...others } = headers;
  const { authorization } = request;
  const query = bindings.fill(request.query ?? {});
  return server.ask(request.method, request.path, {
    query: isTextMap(query) ? query : {},
    headers: authorization === 'invalid token' ? { ...others, authorization: 'Bearer no' } : others,
    body: request.bodyText ?? bindings.fill(request.body),
    anonymous: authorization !== undefined,
    ...(contentType === undefined ? {} : { contentType }),
    ...(signal === undefined ? {} : { signal }),
  });
}

function isTextMap(value: unknown): value is Readonly<Record<string, string>> {
  return isJsonObject(value) && Object.values(value).every((item) => typeof item === 'string');
}

async function compareAnswer(
  server: OpenedServer,
  exchange: Exchange,
  { bindings, options }: { bindings: Bindings; options: ReplayOptions },
): Promise<readonly string[]> {
  const { response } = exchange;
  const { normalise } = options;
  const sent = send(server, exchange, { bindings });
  // A watch ends when its time is up.
  const answer = await (isTimed(exchange) ? untilSettled(sent, options.pause) : sent);
  const problems: string[] = [];
  if (answer.status !== response.status) {
    problems.push(`status: expected ${response.status}, found ${answer.status}`);
  }
  const warning = response.headers?.warning;
  if (warning !== answer.headers.warning) {
    problems.push(`warning: expected ${warning}, found ${answer.headers.warning}`);
  }
  const expected = response.body ?? response.bodyText;
  if (typeof expected === 'string' && expected.startsWith('{"type"')) return problems;
  return [
    ...problems,
    ...differences(normalise(expected), normalise(answer.body), { bindings, path: '' }),
  ];
}

async function compareWatch(
  server: OpenedServer,
  exchange: Exchange,
  context: {
    bindings: Bindings;
    options: ReplayOptions;
    run: (exchange: Exchange) => Promise<void>;
  },
): Promise<readonly string[]> {
  const { bindings, options, run } = context;
  const { events: expected = [] } = exchange.response;
  const stop = new AbortController();
  const answer = send(server, exchange, { bindings, signal: stop.signal });
  // The watch is open once its first events could have been read.
  await options.pause();
  for (const inner of exchange.during ?? []) await run(inner);
  await options.during?.[exchange.id]?.(server, options.pause);
  await options.pause();
  stop.abort();
  const { body } = await answer;
  const normalise = (value: unknown): unknown =>
    JSON.parse(JSON.stringify(options.normalise(value)));
  const found = Array.isArray(body) ? body.slice(0, expected.length) : body;
  return differences(normalise(expected), normalise(found), { bindings, path: '' });
}

/** Lets time go on for as long as an answer takes. */
async function untilSettled<T>(answer: Promise<T>, pause: () => Promise<void>): Promise<T> {
  let isSettled = false;
  const settled = answer.finally(() => {
    isSettled = true;
  });
  while (!isSettled) await pause();
  return settled;
}

function isTimed({ request }: Exchange): boolean {
  const { watch, timeoutSeconds } = request.query ?? {};
  return watch !== undefined || timeoutSeconds !== undefined;
}
