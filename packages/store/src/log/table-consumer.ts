import { limits } from './limits.ts';
import type { ConsumerCommit, LogConsumer, OutstandingRecord } from './log.ts';
import { assertName, type LogCore, type StreamIdentity } from './log-core.ts';
import { goneError, type Staging } from './staging.ts';
import { nameKey, outstandingKey, sequenceOf } from './table-keys.ts';
import type { RowKey } from './tables.ts';

interface ConsumerRow {
  readonly number: number;
  readonly cursor: number;
}

/** The consumer of this name, made when it is not there. */
export async function openConsumer(
  core: LogCore,
  stream: StreamIdentity,
  name: string,
): Promise<LogConsumer> {
  assertName(name);
  const key = nameKey(stream.number, name);
  const found = await core.read(stream, (tables) => tables.get('consumers', key));
  if (found !== undefined) return new TableConsumer(core, stream, { name, ...decodeRow(found) });
  const row = await core.run((staging) => {
    const head = staging.head(stream);
    const known = staging.get('consumers', key);
    if (known !== undefined) return decodeRow(known);
    const number = head.lastConsumer + 1;
    staging.setHead({ ...head, lastConsumer: number });
    staging.put('consumers', key, encodeRow({ number, cursor: 0 }));
    return { number, cursor: 0 };
  });
  return new TableConsumer(core, stream, { name, ...row });
}

/** Removes what is outstanding step by step, and the consumer with the last of it. */
export async function removeConsumer(
  core: LogCore,
  stream: StreamIdentity,
  name: string,
): Promise<void> {
  const key = nameKey(stream.number, name);
  const limit = limits.dropRowsMax;
  let more = true;
  while (more) {
    const drop = (staging: Staging): boolean => {
      staging.head(stream);
      const found = staging.get('consumers', key);
      if (found === undefined) return false;
      const { number } = decodeRow(found);
      const rows = [...staging.range('outstanding', { ...whole(stream.number, number), limit })];
      for (const row of rows) staging.remove('outstanding', row.key);
      if (rows.length === limit) return true;
      staging.remove('consumers', key);
      return false;
    };
    more = await core.run(drop, { rows: limit });
  }
}

class TableConsumer implements LogConsumer {
  readonly #core: LogCore;
  readonly #stream: StreamIdentity;
  readonly #name: string;
  readonly #number: number;
  #cursor: number;

  constructor(core: LogCore, stream: StreamIdentity, row: ConsumerRow & { name: string }) {
    this.#core = core;
    this.#stream = stream;
    this.#name = row.name;
    this.#number = row.number;
    this.#cursor = row.cursor;
  }

  get cursor(): number {
    return this.#cursor;
  }

  async *outstanding(): AsyncGenerator<OutstandingRecord, void, undefined> {
    let from = 0;
    const limit = limits.readRecordsMax;
    const { until } = whole(this.#stream.number, this.#number);
    for (;;) {
      const start = outstandingKey(this.#stream.number, this.#number, from);
      const range = { from: start, until, limit };
      const rows = await this.#core.read(this.#stream, (tables) => [
        ...tables.range('outstanding', range),
      ]);
      for (const { key, value } of rows) {
        from = sequenceOf(key) + 1;
        yield { sequence: from - 1, state: value };
      }
      if (rows.length < limit) return;
    }
  }

  async commit(change: ConsumerCommit): Promise<void> {
    const { cursor, outstanding = [], settled = [] } = change;
    const stream = this.#stream.number;
    await this.#core.run(
      (staging) => {
        staging.head(this.#stream);
        const row = this.#row(staging);
        for (const { sequence, state } of outstanding) {
          staging.put('outstanding', outstandingKey(stream, row.number, sequence), state);
        }
        for (const sequence of settled) {
          staging.remove('outstanding', outstandingKey(stream, row.number, sequence));
        }
        if (cursor === undefined || cursor === row.cursor) return;
        staging.put('consumers', nameKey(stream, this.#name), encodeRow({ ...row, cursor }));
      },
      { rows: outstanding.length + settled.length + 1 },
    );
    this.#cursor = cursor ?? this.#cursor;
  }

  /** @throws LogError `Gone` */
  #row(staging: Staging): ConsumerRow {
    const found = staging.get('consumers', nameKey(this.#stream.number, this.#name));
    const row = found === undefined ? undefined : decodeRow(found);
    if (row?.number === this.#number) return row;
    throw goneError(`${this.#stream.name}, consumer ${this.#name}`);
  }
}

/** The keys of everything that is outstanding for a consumer. */
function whole(stream: number, consumer: number): { from: RowKey; until: RowKey } {
  return {
    from: outstandingKey(stream, consumer, 0),
    until: outstandingKey(stream, consumer + 1, 0),
  };
}

function encodeRow({ number, cursor }: ConsumerRow): Buffer {
  const bytes = Buffer.allocUnsafe(10);
  bytes.writeUInt32BE(number, 0);
  bytes.writeUIntBE(cursor, 4, 6);
  return bytes;
}

function decodeRow(value: Uint8Array): ConsumerRow {
  const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  return { number: bytes.readUInt32BE(0), cursor: bytes.readUIntBE(4, 6) };
}
