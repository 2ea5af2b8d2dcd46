import type { FanOut } from '../watch/fan-out.ts';

/** One document of an answer that has many: as a value, and as the line that goes out. */
export interface DocumentLine {
  readonly value: unknown;
  /** JSON in UTF-8, with its line feed. */
  readonly line: Uint8Array;
}

/** Who is handed the events of a watch. */
export interface EventReader {
  /** Some events; false when the next are to wait for `resume`. It must not throw. */
  take(batch: readonly DocumentLine[]): boolean;
  /** There is nothing more; called once. */
  end(): void;
}

/** Events on their way to a reader. */
export interface EventFlow {
  /** The reader takes events again. */
  resume(): void;
  /** Nothing more is wanted. */
  close(): void;
}

/** The events of a watch, as many at once as are there; for one reader. */
export interface EventBatches extends AsyncIterable<readonly DocumentLine[]> {
  /**
   * Hands the events over, instead of being iterated. Who iterates makes promises for each event,
   * and they wait for the next one: with a thousand watches that is much of what the garbage
   * collector looks at. Missing where events are made one from the other.
   *
   * @param fanOut says when the reader is handed what has come
   */
  flow?(reader: EventReader, fanOut: FanOut): EventFlow;
}
