/**
 * Owns the counts of requests and of how long they took, under the names and labels that
 * kube-apiserver gives them.
 *
 * I1. Labels come from what is served, never from the client alone: so there are never more series
 *     than kinds x verbs x codes.
 */
import { type Clock, Histogram, type MetricFamily, type MetricSample } from '@fnlet/base';
import { requestAttributes } from '../auth/access-attributes.ts';
import { subresources } from '../discovery/discovery.ts';
import type { ApiRequest, ApiResponse } from '../request/api-request.ts';
import type { EventBatches, EventFlow, EventReader } from '../request/event-batches.ts';
import type { Route } from '../request/route.ts';
import type { Catalog } from '../resource/catalog.ts';

/** Seconds; those of kube-apiserver, with fewer steps. */
const bucketEdges = [0.005, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60] as const;

interface Counter {
  readonly labels: Readonly<Record<string, string>>;
  count: number;
}

type Labels = Readonly<Record<'verb' | 'group' | 'version' | 'resource' | 'subresource', string>>;

const upperVerbs: Readonly<Record<string, string>> = { create: 'POST', update: 'PUT' };
const connecting: ReadonlySet<string> = new Set(['exec', 'attach', 'portforward', 'proxy']);

export class RequestMetrics {
  readonly #catalog: Catalog;
  readonly #clock: Clock;
  readonly #requests = new Map<string, Counter>();
  readonly #durations = new Histogram(
    'apiserver_request_duration_seconds',
    'Time until the answer was there, watches and connections aside.',
    bucketEdges,
  );
  readonly #longRunning = new Map<string, Counter>();

  constructor(catalog: Catalog, clock: Clock) {
    this.#catalog = catalog;
    this.#clock = clock;
  }

  /** Answers through `handle`, and counts it by its route; `undefined` when it has none. */
  async track(
    request: ApiRequest,
    route: Route | undefined,
    handle: () => Promise<ApiResponse>,
  ): Promise<ApiResponse> {
    const startMs = this.#clock.monotonicMs();
    const response = await handle();
    const labels = this.#labelsOf(request, route);
    const counted = { ...labels, code: String(response.status) };
    counterOf(this.#requests, counted).count += 1;
    const { body } = response;
    // What goes on for as long as the client likes has no duration to speak of.
    if (body.kind === 'events') {
      return { ...response, body: { ...body, batches: this.#counted(labels, body.batches) } };
    }
    if (body.kind === 'upgrade') {
      const { serve } = body;
      const tracked = (socket: Parameters<typeof serve>[0]): Promise<void> =>
        this.#during(labels, () => serve(socket));
      return { ...response, body: { ...body, serve: tracked } };
    }
    if (body.kind !== 'stream') {
      this.#durations.observe(labels, (this.#clock.monotonicMs() - startMs) / 1000);
    }
    return response;
  }

  families(): readonly MetricFamily[] {
    return [
      {
        name: 'apiserver_request_total',
        type: 'counter',
        help: 'Requests answered, by what they asked for and the status.',
        samples: counterSamples(this.#requests),
      },
      this.#durations.family(),
      {
        name: 'apiserver_longrunning_requests',
        type: 'gauge',
        help: 'Watches and connections that are open.',
        samples: counterSamples(this.#longRunning),
      },
    ];
  }

  #labelsOf(request: ApiRequest, route: Route | undefined): Labels {
    const other = { group: '', version: '', resource: '', subresource: '' };
    if (route?.kind !== 'resource') return { verb: request.method, ...other };
    const { group, version, plural } = route;
    const found = this.#catalog.find(group, version, plural);
    if (found === undefined) return { verb: request.method, ...other };
    const asked = requestAttributes(route, request, { name: '', groups: [] });
    if (asked.kind !== 'resource') return { verb: request.method, ...other };
    const isKnown = subresources(found).some(({ name }) => name === asked.subresource);
    const subresource = isKnown ? asked.subresource : '';
    return {
      verb: verbLabel(asked.verb, subresource),
      group,
      version,
      resource: plural,
      subresource,
    };
  }

  #counted(labels: Labels, source: EventBatches): EventBatches {
    const open = counterOf(this.#longRunning, labels);
    const counted = { [Symbol.asyncIterator]: () => new CountedIterator(source, open) };
    if (source.flow === undefined) return counted;
    return {
      ...counted,
      flow: (reader, fanOut) =>
        new CountedFlow(open, reader, (counted) => source.flow?.(counted, fanOut)),
    };
  }

  async #during(labels: Labels, work: () => Promise<void>): Promise<void> {
    const open = counterOf(this.#longRunning, labels);
    open.count += 1;
    try {
      await work();
    } finally {
      open.count -= 1;
    }
  }
}

/**
 * Reads from a source, and is counted as long as it is read from. Not a generator: a waiting watch
 * would hold several promises more.
 */
class CountedIterator<T> implements AsyncIterator<T, undefined> {
  readonly #source: AsyncIterator<T, unknown>;
  readonly #open: Counter;
  #isOpen = true;

  constructor(source: AsyncIterable<T>, open: Counter) {
    this.#source = source[Symbol.asyncIterator]();
    this.#open = open;
    open.count += 1;
  }

  async next(): Promise<IteratorResult<T, undefined>> {
    try {
      const next = await this.#source.next();
      if (next.done !== true) return next;
    } catch (error) {
      this.#leave();
      throw error;
    }
    return this.#leave();
  }

  async return(): Promise<IteratorResult<T, undefined>> {
    const left = this.#leave();
    await this.#source.return?.();
    return left;
  }

  #leave(): IteratorResult<T, undefined> {
    if (this.#isOpen) this.#open.count -= 1;
    this.#isOpen = false;
    return { value: undefined, done: true };
  }
}

/** The same for events that are handed over: counted until their reader has the end, or leaves. */
class CountedFlow implements EventReader, EventFlow {
  readonly #reader: EventReader;
  readonly #flow: EventFlow | undefined;
  readonly #open: Counter;
  #isOpen = true;

  constructor(
    open: Counter,
    reader: EventReader,
    begin: (counted: EventReader) => EventFlow | undefined,
  ) {
    this.#reader = reader;
    this.#open = open;
    open.count += 1;
    this.#flow = begin(this);
  }

  take(batch: Parameters<EventReader['take']>[0]): boolean {
    return this.#reader.take(batch);
  }

  end(): void {
    this.#leave();
    this.#reader.end();
  }

  resume(): void {
    this.#flow?.resume();
  }

  close(): void {
    this.#leave();
    this.#flow?.close();
  }

  #leave(): void {
    if (this.#isOpen) this.#open.count -= 1;
    this.#isOpen = false;
  }
}

function verbLabel(verb: string, subresource: string): string {
  return connecting.has(subresource) ? 'CONNECT' : (upperVerbs[verb] ?? verb.toUpperCase());
}

function keyOf(labels: Readonly<Record<string, string>>): string {
  return Object.values(labels).join('\n');
}

function counterOf(
  counters: Map<string, Counter>,
  labels: Readonly<Record<string, string>>,
): Counter {
  const key = keyOf(labels);
  const counter = counters.get(key) ?? { labels, count: 0 };
  counters.set(key, counter);
  return counter;
}

function counterSamples(counters: ReadonlyMap<string, Counter>): readonly MetricSample[] {
  return Array.from(counters.values(), ({ labels, count }) => ({ labels, value: count }));
}
