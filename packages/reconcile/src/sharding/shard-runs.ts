import { type Clock, errorMessage, type Logger, type Timer } from '@fnlet/base';

/** Called when the shards that are run change; resolves once nothing else runs any more. */
export type ShardsListener = () => Promise<void>;

export interface ShardRunsOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly listeners: Iterable<ShardsListener>;
  /** Called when what ran of other shards has ended, and when the time is over. */
  readonly onChange: () => void;
}

const none: ReadonlySet<number> = new Set();

/**
 * The shards that a session runs, until when, and whether what it ran before has ended.
 *
 * I1. Once it has ended, by itself or because its time was up, it runs nothing, ever.
 * I2. Asked whether it runs a shard it looks at the clock, so that a process which was paused does
 *     not go on, whichever of its timers comes first.
 */
export class ShardRuns {
  readonly #options: ShardRunsOptions;
  #shards = none;
  #untilMs = Number.NEGATIVE_INFINITY;
  #isOver = false;
  #deadline: Timer | undefined;
  #round = 0;
  #drained: Promise<void> = Promise.resolve();
  #isIdle = true;

  constructor(options: ShardRunsOptions) {
    this.#options = options;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Resolves once nothing is run of shards that were left. */
  get drained(): Promise<void> {
    return this.#drained;
  }

  // I2
  runs(shard: number): boolean {
    return this.#shards.has(shard) && this.#leftMs() > 0;
  }

  /** Whether nothing of this shard runs, nor will before the next `assign`. */
  isDrained(shard: number): boolean {
    return this.#isIdle && !this.#shards.has(shard);
  }

  /** Runs these shards and no others, as long as the time lasts. */
  assign(shards: ReadonlySet<number>): void {
    if (this.#isOver || isSame(shards, this.#shards)) return;
    this.#shards = shards;
    this.#tell();
  }

  /** There is time until then, on the monotonic clock. */
  extend(untilMs: number): void {
    if (this.#isOver) return;
    this.#untilMs = untilMs;
    this.#watch();
  }

  // I1
  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#deadline?.cancel();
    this.#shards = none;
    this.#tell();
    this.#options.onChange();
  }

  #watch(): void {
    this.#deadline?.cancel();
    const leftMs = this.#leftMs();
    if (leftMs <= 0) this.end();
    else this.#deadline = this.#options.clock.after(leftMs, () => this.#watch());
  }

  #leftMs(): number {
    return this.#untilMs - this.#options.clock.monotonicMs();
  }

  // Only the latest round says that all is quiet: what it waits for includes what others waited for.
  #tell(): void {
    const round = ++this.#round;
    this.#isIdle = false;
    const listeners = Array.from(this.#options.listeners, (listener) => listener());
    this.#drained = Promise.all(listeners).then(
      () => {
        if (round !== this.#round) return;
        this.#isIdle = true;
        this.#options.onChange();
      },
      (error: unknown) => {
        this.#options.logger.error(`Cannot stop the runs of lost shards: ${errorMessage(error)}`);
      },
    );
  }
}

function isSame(a: ReadonlySet<number>, b: ReadonlySet<number>): boolean {
  return a.size === b.size && [...a].every((shard) => b.has(shard));
}
