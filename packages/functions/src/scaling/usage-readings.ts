/**
 * Knows how much CPU and memory the Instances of a Revision use, as long as somebody asks.
 *
 * I1. One reading serves all Revisions, one at a time; nothing is read, and no timer runs, while
 *     nobody asks.
 * I2. An answer is about the Instances that are ready now: while one of them was not measured yet,
 *     nothing is known.
 */
import { type Clock, errorMessage, type Logger, type Timer } from '@fnlet/base';
import type { Executor, InstancesUsage, RunnableRevision } from '@fnlet/executor';
import { parseQuantity, quantityValue } from '@fnlet/machinery';
import { limits } from '../limits.ts';

/** What processes of one Instance use. */
type Usage = InstancesUsage['machine'];

/** Average use by one Instance, in percent of what it may count on. */
export interface UseOfResources {
  readonly cpu: number | undefined;
  readonly memory: number | undefined;
}

export interface UsageReadingsOptions {
  readonly readUsage: () => Promise<Pick<InstancesUsage, 'instances'>>;
  readonly executor: Pick<Executor, 'instances'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

const unknown: UseOfResources = { cpu: undefined, memory: undefined };

export class UsageReadings {
  readonly #options: UsageReadingsOptions;
  #usages: ReadonlyMap<string, Usage> = new Map();
  #isAsked = false;
  #isReading = false;
  #timer: Timer | undefined;

  constructor(options: UsageReadingsOptions) {
    this.#options = options;
  }

  /** What is known at present; sees to it that more will be. */
  of(revision: RunnableRevision): UseOfResources {
    this.#isAsked = true;
    if (!this.#isReading && this.#timer === undefined) void this.#read();
    const instances = this.#options.executor.instances(revision.id);
    const ready = instances.filter(({ phase }) => phase === 'ready');
    const usages = ready.flatMap(({ id }) => this.#usages.get(id) ?? []);
    if (ready.length === 0 || usages.length < ready.length) return unknown;
    const { cores, memoryBytes } = capacityOf(revision.resources);
    return {
      cpu: percent(
        usages.map((usage) => usage.cores),
        cores,
      ),
      memory:
        memoryBytes === undefined
          ? undefined
          : percent(
              usages.map((usage) => usage.memoryBytes),
              memoryBytes,
            ),
    };
  }

  close(): void {
    this.#timer?.cancel();
  }

  async #read(): Promise<void> {
    const { readUsage, clock, logger } = this.#options;
    this.#isReading = true;
    this.#isAsked = false;
    try {
      const { instances } = await readUsage();
      this.#usages = new Map(instances.map(({ key, usage }) => [key.name, usage]));
    } catch (error) {
      this.#usages = new Map();
      logger.warn('Cannot read what Instances use', { error: errorMessage(error) });
    }
    this.#isReading = false;
    this.#timer = clock.after(limits.usageMs, () => {
      this.#timer = undefined;
      if (this.#isAsked) void this.#read();
    });
  }
}

type Capacity = Partial<NonNullable<RunnableRevision['resources']>>;

/** What an Instance may count on: what it requests, or its limit; of CPU one core without either. */
function capacityOf({ requests = {}, limits: most = {} }: Capacity = {}): {
  readonly cores: number;
  readonly memoryBytes: number | undefined;
} {
  const amount = (name: string): number | undefined => {
    const parsed = parseQuantity(requests[name] ?? most[name] ?? '');
    const value = parsed === undefined ? 0 : quantityValue(parsed);
    return value > 0 ? value : undefined;
  };
  return { cores: amount('cpu') ?? 1, memoryBytes: amount('memory') };
}

function percent(used: readonly number[], capacity: number): number {
  const average = used.reduce((sum, value) => sum + value, 0) / used.length;
  return (average / capacity) * 100;
}
