import {
  type Clock,
  type JsonObject,
  type Logger,
  type Random,
  seededRandom,
  silentLogger,
  systemClock,
} from '@fnlet/base';
import { type LogStream, openMemoryLog, type StreamOptions } from '@fnlet/store/log';
import type { CloudEvent } from '../src/event/cloud-event.ts';
import type { Checkpoint, Source, SourceContext, SourceState } from '../src/sources/source.ts';
import { until } from './until.ts';

/** Waits a hundredth of what it is asked to. */
export const impatientClock: Clock = {
  now: () => systemClock.now(),
  monotonicMs: () => systemClock.monotonicMs(),
  after: (delayMs, callback) => systemClock.after(delayMs / 100, callback),
};

/** Where a source brings its events, and what it says of itself. */
export class SourceDesk implements SourceContext {
  readonly namespace = 'default';
  readonly name = 'orders';
  readonly uid = 'a3a1c8f4-0000-4000-8000-000000000000';
  readonly clock: Clock;
  readonly random: Random = seededRandom(1);
  readonly logger: Logger = silentLogger;
  readonly events: CloudEvent[] = [];
  readonly told: string[] = [];
  secrets: Readonly<Record<string, string>> = {};
  state: SourceState | undefined;
  /** While it is set nothing is taken. */
  gate: Promise<void> | undefined;
  readonly #log = openMemoryLog();
  #kept: JsonObject | undefined;
  readonly checkpoint: Checkpoint = {
    load: async () => this.#kept,
    save: async (value) => {
      this.#kept = value;
    },
  };

  constructor(clock: Clock = systemClock) {
    this.clock = clock;
  }

  /** What came, as text. */
  get bodies(): readonly string[] {
    return this.events.map(({ data }) => Buffer.from(data ?? []).toString());
  }

  async accept(events: readonly CloudEvent[]): Promise<void> {
    await this.gate;
    this.events.push(...events);
  }

  stream(options: StreamOptions): Promise<LogStream> {
    return this.#log.stream('source', options);
  }

  async undelivered(): Promise<number> {
    return 0;
  }

  report(state: SourceState): void {
    this.state = state;
  }

  tell({ reason }: { readonly reason: string }): void {
    this.told.push(reason);
  }

  async secret(name: string, key: string): Promise<string | undefined> {
    return this.secrets[`${name}/${key}`];
  }

  async has(count: number): Promise<void> {
    await until(() => this.events.length >= count, { what: `${count} events` });
  }
}

/** A source that works until it is let go. */
export async function running(source: Source): Promise<AsyncDisposable & { ended: Promise<void> }> {
  const abort = new AbortController();
  const ended = source.run(abort.signal);
  return {
    ended,
    [Symbol.asyncDispose]: async () => {
      abort.abort();
      await ended;
    },
  };
}
