import { limits } from './limits.ts';
import type {
  Appended,
  AppendOptions,
  LogConsumer,
  LogEntry,
  LogRecord,
  LogStream,
  ReadOptions,
  StreamSize,
} from './log.ts';
import type { LogCore, StreamIdentity } from './log-core.ts';
import { decodeRecord } from './record-codec.ts';
import { checkEntries, stageAppend } from './stage-append.ts';
import { dropRecord, stageTrim } from './stage-drop.ts';
import { openConsumer, removeConsumer } from './table-consumer.ts';
import { nameIn, sequenceKey, sequenceOf, streamPrefix } from './table-keys.ts';
import type { LogTables } from './tables.ts';

/** One stream of a log over tables. */
export class TableStream implements LogStream {
  readonly name: string;
  readonly appendBytesMax: number = limits.appendBytesMax;
  readonly #core: LogCore;
  readonly #identity: StreamIdentity;

  constructor(core: LogCore, { name, number }: StreamIdentity) {
    this.#core = core;
    this.#identity = { name, number };
    this.name = name;
  }

  append(entries: readonly LogEntry[], options?: AppendOptions): Promise<Appended> {
    let bytes: number;
    try {
      bytes = checkEntries(this.name, entries);
    } catch (error) {
      return Promise.reject(error);
    }
    const append = { expectedLast: options?.expectedLast, entries };
    return this.#core.run((staging) => stageAppend(staging, staging.head(this.#identity), append), {
      rows: entries.length,
      bytes,
    });
  }

  read(from: number, options: ReadOptions): Promise<readonly LogRecord[]> {
    return this.#core.read(this.#identity, (tables, { last }) =>
      from > last ? [] : this.#records(tables, { from, last }, options),
    );
  }

  #records(
    tables: LogTables,
    { from, last }: { readonly from: number; readonly last: number },
    options: ReadOptions,
  ): readonly LogRecord[] {
    const { number } = this.#identity;
    const { limit, maxBytes = limits.readBytesMax } = options;
    const bytesMax = Math.min(maxBytes, limits.readBytesMax);
    const records: LogRecord[] = [];
    let bytes = 0;
    const rows = tables.range('records', {
      from: sequenceKey(number, from),
      until: sequenceKey(number, last + 1),
      limit: Math.min(limit, limits.readRecordsMax),
    });
    for (const { key, value } of rows) {
      const record = decodeRecord(sequenceOf(key), value);
      records.push(record);
      bytes += record.payload.length;
      if (bytes > bytesMax) break;
    }
    return records;
  }

  subscribe(listener: () => void): () => void {
    return this.#core.subscribe(this.#identity, listener);
  }

  size(): Promise<StreamSize> {
    return this.#core.read(this.#identity, (tables, { records, bytes, last }) => {
      const [oldest] = this.#records(tables, { from: 0, last }, { limit: 1 });
      const first = oldest?.sequence ?? last + 1;
      return { records, bytes, last, first, oldestMs: oldest?.timeMs };
    });
  }

  remove(sequences: readonly number[]): Promise<void> {
    return this.#core.run(
      (staging) => {
        const head = staging.head(this.#identity);
        staging.setHead(sequences.reduce((left, one) => dropRecord(staging, left, one), head));
      },
      { rows: sequences.length },
    );
  }

  async trim(before: number): Promise<void> {
    let more = true;
    while (more) {
      more = await this.#core.run(
        (staging) => stageTrim(staging, staging.head(this.#identity), before),
        { rows: limits.dropRowsMax },
      );
    }
  }

  consumer(name: string): Promise<LogConsumer> {
    return openConsumer(this.#core, this.#identity, name);
  }

  consumers(): Promise<readonly string[]> {
    return this.#core.read(this.#identity, (tables, { number }) => {
      const limit = Number.POSITIVE_INFINITY;
      const range = { from: streamPrefix(number), until: streamPrefix(number + 1), limit };
      const rows = tables.range('consumers', range);
      return Array.from(rows, ({ key }) => nameIn(key));
    });
  }

  removeConsumer(name: string): Promise<void> {
    return removeConsumer(this.#core, this.#identity, name);
  }
}
