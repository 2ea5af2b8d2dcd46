import { decodeTime, encodeIdBatch } from './id-batch.ts';
import { limits } from './limits.ts';
import type { Appended, AppendOptions, LogEntry } from './log.ts';
import { LogError } from './log-error.ts';
import { encodeRecord } from './record-codec.ts';
import { dropRecord } from './stage-drop.ts';
import type { Staging } from './staging.ts';
import type { StreamHead } from './stream-head.ts';
import { digestIn, digestKeyOf, keyBytes, keyText, sequenceKey, sequenceOf } from './table-keys.ts';
import type { RowKey } from './tables.ts';

export interface Append {
  /** As {@link AppendOptions} has it. */
  readonly expectedLast: AppendOptions['expectedLast'] | undefined;
  readonly entries: readonly LogEntry[];
}

/**
 * Appends next to each other what is not there already.
 *
 * @throws LogError `Conflict`
 */
export function stageAppend(staging: Staging, start: StreamHead, append: Append): Appended {
  const { expectedLast, entries } = append;
  if (entries.length > 0) staging.assertRoom();
  if (expectedLast !== undefined && expectedLast !== start.last) {
    throw conflictError(start, expectedLast);
  }
  let head = start;
  const digests: string[] = [];
  const sequences: (number | undefined)[] = [];
  for (const entry of entries) {
    const idKey = freshIdKey(staging, head, entry.id);
    if (idKey !== undefined && idKey !== 'known') digests.push(digestIn(idKey));
    if (idKey !== 'known') head = stageEntry(staging, head, entry);
    sequences.push(idKey === 'known' ? undefined : head.last);
  }
  if (digests.length > 0) {
    const key = sequenceKey(head.number, start.last + 1);
    staging.add('idBatches', key, encodeIdBatch(staging.nowMs, digests));
  }
  staging.setHead(head);
  return { sequences, last: head.last };
}

/** The key of an id, noted as appended; `known` when it was already. */
function freshIdKey(
  staging: Staging,
  { number, options }: StreamHead,
  id: string | undefined,
): RowKey | 'known' | undefined {
  if (id === undefined || options.dedupeMs === undefined) return undefined;
  const key = digestKeyOf(number, id);
  const known = staging.get('ids', key);
  if (known !== undefined && decodeTime(known) > staging.nowMs - options.dedupeMs) return 'known';
  staging.put('ids', key, staging.encodedNow);
  return key;
}

function stageEntry(staging: Staging, before: StreamHead, entry: LogEntry): StreamHead {
  const sequence = before.last + 1;
  const { key, payload } = entry;
  const head = supersede(staging, before, { key, sequence });
  staging.append(head, { sequence, value: encodeRecord({ timeMs: staging.nowMs, key, payload }) });
  const { records, bytes } = head;
  return { ...head, records: records + 1, bytes: bytes + payload.length, last: sequence };
}

/** Drops the record that has had this key until now. */
function supersede(
  staging: Staging,
  head: StreamHead,
  { key, sequence }: { key: string | undefined; sequence: number },
): StreamHead {
  if (key === undefined || head.options.newestOfKey !== true) return head;
  const at = digestKeyOf(head.number, key);
  const previous = staging.get('keys', at);
  const after =
    previous === undefined ? head : dropRecord(staging, head, sequenceOf(keyText(previous)));
  staging.put('keys', at, keyBytes(sequenceKey(head.number, sequence)));
  return after;
}

/** @throws LogError `TooLarge` */
export function checkEntries(name: string, entries: readonly LogEntry[]): number {
  let bytes = 0;
  for (const { key, payload } of entries) {
    bytes += payload.length;
    refuseAbove(name, payload.length, { max: limits.payloadBytesMax, thing: 'bytes of payload' });
    const keyBytes = key === undefined ? 0 : Buffer.byteLength(key);
    refuseAbove(name, keyBytes, { max: limits.keyBytesMax, thing: 'bytes of a key' });
  }
  refuseAbove(name, entries.length, { max: limits.appendEntriesMax, thing: 'entries' });
  refuseAbove(name, bytes, { max: limits.appendBytesMax, thing: 'bytes' });
  return bytes;
}

function refuseAbove(name: string, found: number, bound: { max: number; thing: string }): void {
  if (found <= bound.max) return;
  throw new LogError(
    'TooLarge',
    `Cannot append to stream "${name}": found ${found} ${bound.thing}, ` +
      `expected at most ${bound.max}`,
  );
}

export function conflictError({ name, last }: StreamHead, expected: number): LogError {
  return new LogError(
    'Conflict',
    `Cannot append to stream "${name}": found ${last} as its last sequence, expected ${expected}`,
  );
}
