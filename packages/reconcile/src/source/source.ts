import type { Clock, Logger, Random } from '@fnlet/base';
import type { ObjectKey } from '@fnlet/machinery';
import type { AddOptions } from '../work-queue.ts';

/** Asks for a run of a key; takes a note and returns. */
export type Enqueue = (key: ObjectKey, options?: AddOptions) => void;

/** What a source is lent by the controller that starts it. */
export interface SourcePorts {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** Where a controller hears that a key needs a run. */
export interface Source {
  /** Resolves once everything that existed at the start can be read. */
  readonly synced: Promise<void>;
  /** From now on calls `enqueue`, for what exists already as well; returns the way to stop that. */
  start(enqueue: Enqueue, ports: SourcePorts): () => void;
  /** The keys of everything that exists, as far as this source knows and lets pass. */
  known?(): Iterable<ObjectKey>;
}
