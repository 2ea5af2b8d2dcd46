import type { Clock, JsonObject, Logger, Random } from '@fnlet/base';
import type { LogStream, StreamOptions } from '@fnlet/store/log';
import type { CloudEvent } from '../event/cloud-event.ts';

/** Brings events from somewhere until it is told to stop. */
export interface Source {
  /**
   * Works until `signal` aborts, and ends itself when nothing more can come. What it throws is
   * told in the status of its Trigger, and it is started again after a while.
   */
  run(signal: AbortSignal): Promise<void>;
}

/** What a source sees of the house. */
export interface SourceContext {
  readonly namespace: string;
  /** Name and uid of its Trigger. */
  readonly name: string;
  readonly uid: string;
  /**
   * Takes events, in their order. Resolves once those that the filter lets through are durable;
   * takes its time when too many wait. A source tells where events come from that they are taken
   * only then.
   */
  accept(events: readonly CloudEvent[]): Promise<void>;
  /** What it has to remember over restarts. */
  readonly checkpoint: Checkpoint;
  /** A stream of its own, for what it has to remember of many things. */
  stream(options: StreamOptions): Promise<LogStream>;
  /** How many of the accepted events are not delivered. */
  undelivered(): Promise<number>;
  /** Tells how it is; the newest is shown in the status. */
  report(state: SourceState): void;
  /** Tells users what they should know, in an Event of the Trigger. */
  tell(happening: SourceHappening): void;
  /** The text under a key of a Secret of the namespace; `undefined` while there is none. */
  secret(name: string, key: string): Promise<string | undefined>;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** One small value, kept in the log; only who holds the Lease of a source writes it. */
export interface Checkpoint {
  load(): Promise<JsonObject | undefined>;
  /** Resolves once it is durable. */
  save(value: JsonObject): Promise<void>;
}

/** How a source is. */
export interface SourceState {
  readonly connected: boolean;
  /** Why it is not connected, or what else is wrong. */
  readonly trouble?: string;
  /** How many events wait where they come from. */
  readonly lag?: number;
  /** When it fires next, milliseconds since 1970. */
  readonly nextMs?: number;
}

/** What happened at a source. */
export interface SourceHappening {
  /** One word for programs, CamelCase. */
  readonly reason: string;
  /** A sentence for people. */
  readonly message: string;
}
