/** What is appended. */
export interface LogEntry {
  /** Whose it is, for a stream that keeps only the newest record of each key. */
  readonly key?: string;
  /** A second entry with the id of one that was appended within `dedupeMs` is left out. */
  readonly id?: string;
  /** Not copied: it must stay as it is until the append has resolved. */
  readonly payload: Uint8Array;
}

/** What was appended. */
export interface LogRecord {
  /** Its place in the stream: greater than that of every record before it; gaps are possible. */
  readonly sequence: number;
  /** When it was appended, milliseconds since 1970. */
  readonly timeMs: number;
  readonly key: string | undefined;
  readonly payload: Uint8Array;
}

/**
 * What a stream keeps. A bound that is not given is none. What exceeds a bound goes soon, not at
 * once, whether its consumers have passed it or not.
 */
export interface StreamOptions {
  /** Records older than this many milliseconds go. */
  readonly maxAgeMs?: number;
  /** The oldest records go when all payloads together have more bytes. */
  readonly maxBytes?: number;
  /** The oldest records go when there are more. */
  readonly maxRecords?: number;
  /** Whether a record goes when a newer one has its key. Default: no. */
  readonly newestOfKey?: boolean;
  /** How long ids are known, milliseconds. Default: ids are not looked at. */
  readonly dedupeMs?: number;
}

export interface AppendOptions {
  /**
   * The append happens only while this is the last sequence of the stream; 0: while nothing was
   * ever appended.
   */
  readonly expectedLast?: number;
}

/** What became of an append, once it is durable. */
export interface Appended {
  /** By entry; `undefined` where one with the same id was there already. */
  readonly sequences: readonly (number | undefined)[];
  /** The last sequence of the stream after it. */
  readonly last: number;
}

export interface ReadOptions {
  /** At most so many records. */
  readonly limit: number;
  /** Stops after the record that exceeds so many bytes of payload; at least one is read. */
  readonly maxBytes?: number;
}

/** What there is of a stream. */
export interface StreamSize {
  readonly records: number;
  readonly bytes: number;
  /** Of the oldest record; `last + 1` when there is none. */
  readonly first: number;
  /** Of the newest record that was ever appended; 0 when there was none. */
  readonly last: number;
  /** Of the oldest record. */
  readonly oldestMs: number | undefined;
}

/** A record that its consumer has passed and is not done with, and what the consumer knows of it. */
export interface OutstandingRecord {
  readonly sequence: number;
  readonly state: Uint8Array;
}

/** What changed for a consumer; all of it happens, or nothing does. */
export interface ConsumerCommit {
  /** Every record up to here is settled or outstanding. */
  readonly cursor?: number;
  /** Became outstanding, or is so otherwise. */
  readonly outstanding?: readonly OutstandingRecord[];
  /** Outstanding records that are settled. */
  readonly settled?: readonly number[];
}

/**
 * How far somebody is who reads a stream: a cursor, and the records before it that are not settled.
 * One with nothing outstanding costs one number. It keeps no record: what is trimmed, removed or
 * beyond a bound is gone, also while it is outstanding.
 */
export interface LogConsumer {
  /** As it was committed last, here or before it was opened here; 0 at first. */
  readonly cursor: number;
  /** In order of sequence, read while they are consumed. */
  outstanding(): AsyncIterable<OutstandingRecord>;
  /**
   * Resolves once it is durable; concurrent commits share one flush.
   *
   * @throws LogError `Conflict` when another process has committed for this consumer since it was
   * opened here: whoever comes later has taken over
   */
  commit(change: ConsumerCommit): Promise<void>;
}

/**
 * Records in the order in which they were appended. When the stream is removed, whatever is asked
 * of it is refused with `Gone`, also when another one has its name by then.
 */
export interface LogStream {
  readonly name: string;
  /**
   * Bytes that all entries of one append may have, as `entryBytes` counts them; what is more, or
   * may be, is divided by `appendParts`. It is far less where an append is one message.
   */
  readonly appendBytesMax: number;
  /**
   * Appends all entries, next to each other in their order, or none. Concurrent appends share one
   * flush.
   *
   * @throws LogError `Conflict` when `expectedLast` is not the last sequence; `TooLarge` beyond
   * `appendBytesMax`, or for a payload, a key or a number of entries that no log takes
   */
  append(entries: readonly LogEntry[], options?: AppendOptions): Promise<Appended>;
  /** The records from this sequence on, as far as they are there and the log's own bounds allow. */
  read(from: number, options: ReadOptions): Promise<readonly LogRecord[]>;
  /** Calls back, at least once, after something was appended, until the returned function is called. */
  subscribe(listener: () => void): () => void;
  size(): Promise<StreamSize>;
  /** Removes single records. */
  remove(sequences: readonly number[]): Promise<void>;
  /** Removes all records before this sequence. */
  trim(before: number): Promise<void>;
  /** The consumer of this name, as it was committed last; a new one stands before the first record. */
  consumer(name: string): Promise<LogConsumer>;
  consumers(): Promise<readonly string[]>;
  removeConsumer(name: string): Promise<void>;
}

/**
 * Append-only streams under names.
 *
 * I1. When an append or a commit has resolved, it survives `kill -9`, and power loss as far as
 *     `durability` says.
 * I2. Readers see a record only after it is committed, in the order of sequence.
 * I3. A sequence of a stream never comes back: not after a crash, and not after all records are
 *     gone.
 *
 * Errors: `LogError`, its codes tell all of them.
 */
export interface Log extends AsyncDisposable {
  /** What an acknowledgement is worth. */
  readonly durability: 'none' | 'flushed' | 'replicated' | 'eventuallyFlushed';
  /**
   * The stream of this name, made when it is not there. The options hold from now on; without them,
   * those that it has.
   */
  stream(name: string, options?: StreamOptions): Promise<LogStream>;
  /** The names of all streams that start so, in order. */
  streams(prefix: string): Promise<readonly string[]>;
  /** Removes a stream with its consumers. */
  removeStream(name: string): Promise<void>;
  close(): Promise<void>;
}
