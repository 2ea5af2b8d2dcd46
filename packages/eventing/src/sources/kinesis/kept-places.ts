/**
 * The places of a stream in memory and in the log.
 *
 * I1. What is written lags behind what was read by `saveMs`, and never runs ahead of it.
 */
import { sleep } from '@fnlet/base';
import type { SourceContext } from '../source.ts';
import { kinesisLimits } from './limits.ts';
import { formatPlaces, type ShardPlace, type StreamPlaces } from './shard-place.ts';

export class KeptPlaces {
  readonly startMs: number;
  readonly #stream: Omit<StreamPlaces, 'shards'>;
  readonly #context: Pick<SourceContext, 'checkpoint' | 'clock'>;
  #shards: Map<string, ShardPlace>;
  #isWritten: boolean;

  /** @param isWritten whether the log has them already */
  constructor(
    places: StreamPlaces,
    context: Pick<SourceContext, 'checkpoint' | 'clock'>,
    isWritten: boolean,
  ) {
    const { shards, ...stream } = places;
    this.startMs = stream.startMs;
    this.#stream = stream;
    this.#shards = new Map(shards);
    this.#context = context;
    this.#isWritten = isWritten;
  }

  get shards(): ReadonlyMap<string, ShardPlace> {
    return this.#shards;
  }

  move(shard: string, place: ShardPlace): void {
    this.#shards.set(shard, place);
    this.#isWritten = false;
  }

  /** Remembers these shards, and forgets all others. */
  replace(shards: ReadonlyMap<string, ShardPlace>): void {
    const isSame =
      shards.size === this.#shards.size && [...shards.keys()].every((id) => this.#shards.has(id));
    if (isSame) return;
    this.#shards = new Map(shards);
    this.#isWritten = false;
  }

  /** Writes them if the log does not have them. */
  async save(): Promise<void> {
    if (this.#isWritten) return;
    const written = formatPlaces({ ...this.#stream, shards: this.#shards });
    // What moves while it is being written is written with the next.
    this.#isWritten = true;
    try {
      await this.#context.checkpoint.save(written);
    } catch (error) {
      this.#isWritten = false;
      throw error;
    }
  }

  /** Writes them again and again, until `signal` aborts. */
  async keep(signal: AbortSignal): Promise<void> {
    while (await sleep(this.#context.clock, kinesisLimits.saveMs, signal)) await this.save();
  }
}
