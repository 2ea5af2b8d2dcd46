/**
 * How far a stream of JetStream was read. The server knows it by the consumer, which may be deleted
 * by others, and is with its stream: what of it has to outlast it is kept here.
 */
import { isJsonObject, type JsonObject } from '@fnlet/base';
import { wasMissing } from '../missing-place.ts';
import {
  formatMakings,
  isRemade,
  makingMark,
  type PlaceMakings,
  parseMakings,
  seeMaking,
} from '../place-makings.ts';
import type { SourceContext } from '../source.ts';

/** With which messages a consumer begins. */
export type StreamStart = 'all' | 'new' | { readonly sequence: number };

export class JetStreamPlace {
  /** What stands behind the ids of its messages. */
  readonly mark: string;
  /** With which messages a consumer begins that has to be made. */
  readonly start: StreamStart;
  readonly #stream: string;
  readonly #makings: PlaceMakings;
  readonly #context: SourceContext;
  /** All messages up to here are acknowledged; the last that was written. */
  #floor: number | undefined;

  private constructor(
    read: { readonly stream: string; readonly makings: PlaceMakings; readonly start: StreamStart },
    context: SourceContext,
  ) {
    this.#stream = read.stream;
    this.#makings = read.makings;
    this.start = read.start;
    this.mark = makingMark(read.makings, read.stream);
    this.#context = context;
  }

  /**
   * @param stream its name
   * @param createdMs when it was created: one that was deleted and made anew is another
   */
  static async open(
    { stream, createdMs, from }: StreamFound,
    context: SourceContext,
  ): Promise<JetStreamPlace> {
    const written = await context.checkpoint.load();
    const before = parseMakings(written?.streams);
    const making = String(createdMs);
    const makings = seeMaking(before, stream, making);
    const read = { stream, makings };
    if (isRemade(before, stream, making)) {
      const message = `Stream "${stream}" was deleted and made anew: it is read from its beginning`;
      context.tell({ reason: 'StreamReplaced', message });
      return new JetStreamPlace({ ...read, start: 'all' }, context);
    }
    const floor = before[stream] === undefined ? undefined : parseFloor(written?.floor, stream);
    const isAll = from === 'oldest' || (await wasMissing(context.checkpoint, stream));
    const start = floor === undefined ? (isAll ? 'all' : 'new') : { sequence: floor + 1 };
    return new JetStreamPlace({ ...read, start }, context);
  }

  /** All messages up to here are acknowledged. Resolves once that is durable. */
  async pass(floor: number): Promise<void> {
    if (this.#floor === floor) return;
    const at = { stream: this.#stream, sequence: floor };
    const value: JsonObject = { streams: formatMakings(this.#makings), floor: at };
    await this.#context.checkpoint.save(value);
    this.#floor = floor;
  }
}

export interface StreamFound {
  readonly stream: string;
  readonly createdMs: number;
  /** Where it begins when it was never read. */
  readonly from: 'oldest' | 'newest';
}

function parseFloor(value: unknown, stream: string): number | undefined {
  if (!isJsonObject(value) || value.stream !== stream) return undefined;
  return typeof value.sequence === 'number' ? value.sequence : undefined;
}
