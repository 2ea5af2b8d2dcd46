import { decodeTime, digestsOf } from './id-batch.ts';
import { limits } from './limits.ts';
import { decodeRecord } from './record-codec.ts';
import type { Staging } from './staging.ts';
import { exceedsBounds, type StreamHead } from './stream-head.ts';
import {
  digestKey,
  digestKeyOf,
  keyText,
  sequenceKey,
  sequenceOf,
  streamPrefix,
} from './table-keys.ts';
import type { TableName } from './tables.ts';

/** Drops one record, when it is there. */
export function dropRecord(staging: Staging, head: StreamHead, sequence: number): StreamHead {
  const at = sequenceKey(head.number, sequence);
  const value = staging.get('records', at);
  if (value === undefined) return head;
  const { key, payload } = decodeRecord(sequence, value);
  staging.remove('records', at);
  if (key !== undefined && head.options.newestOfKey === true) {
    const newest = digestKeyOf(head.number, key);
    const found = staging.get('keys', newest);
    if (found !== undefined && sequenceOf(keyText(found)) === sequence)
      staging.remove('keys', newest);
  }
  return { ...head, records: head.records - 1, bytes: head.bytes - payload.length };
}

/** Drops the oldest records before this sequence, a flush's worth; tells whether more are left. */
export function stageTrim(staging: Staging, start: StreamHead, before: number): boolean {
  const from = sequenceKey(start.number, 0);
  const until = sequenceKey(start.number, before);
  let head = start;
  let rows = 0;
  for (const { key } of staging.range('records', { from, until, limit: limits.dropRowsMax })) {
    head = dropRecord(staging, head, sequenceOf(key));
    rows++;
  }
  staging.setHead(head);
  return rows === limits.dropRowsMax;
}

/** What a stream holds: more than it may, what will exceed an age, or nothing of that. */
export type Kept = 'excess' | 'ageing' | 'nothing';

/**
 * Drops the oldest records beyond the bounds of the stream, and ids that need not be known any
 * more, a flush's worth.
 */
export function stageRetention(staging: Staging, start: StreamHead): Kept {
  const { number, options } = start;
  const { maxAgeMs = Number.POSITIVE_INFINITY } = options;
  const all = { from: sequenceKey(number, 0), until: streamPrefix(number + 1) };
  const limit = limits.dropRowsMax;
  let head = start;
  let rows = 0;
  for (const { key, value } of staging.range('records', { ...all, limit })) {
    const { sequence, timeMs } = decodeRecord(sequenceOf(key), value);
    if (!exceedsBounds(head) && timeMs >= staging.nowMs - maxAgeMs) break;
    head = dropRecord(staging, head, sequence);
    rows++;
  }
  staging.setHead(head);
  const ids = forgetIds(staging, head);
  if (rows === limit || ids === 'excess') return 'excess';
  return (options.maxAgeMs !== undefined && head.records > 0) || ids === 'ageing'
    ? 'ageing'
    : 'nothing';
}

function forgetIds(staging: Staging, { number, options }: StreamHead): Kept {
  const { dedupeMs = 0 } = options;
  const all = { from: sequenceKey(number, 0), until: streamPrefix(number + 1) };
  let rows = 0;
  for (const { key, value } of staging.range('idBatches', { ...all, limit: limits.dropRowsMax })) {
    if (decodeTime(value) > staging.nowMs - dedupeMs) return 'ageing';
    if (rows >= limits.dropRowsMax) return 'excess';
    staging.remove('idBatches', key);
    for (const digest of digestsOf(value)) {
      rows++;
      const at = digestKey(number, digest);
      const known = staging.get('ids', at);
      // The same id may have come again since, and be known by a later batch.
      if (known !== undefined && decodeTime(known) <= decodeTime(value)) staging.remove('ids', at);
    }
  }
  return rows >= limits.dropRowsMax ? 'excess' : 'nothing';
}

const tablesOfStreams: readonly TableName[] = [
  'records',
  'keys',
  'ids',
  'idBatches',
  'consumers',
  'outstanding',
];

/** Drops rows of a stream that was removed, a flush's worth; tells whether more are left. */
export function stagePurge(staging: Staging, number: number): boolean {
  const whole = { from: streamPrefix(number), until: streamPrefix(number + 1) };
  let left: number = limits.dropRowsMax;
  for (const table of tablesOfStreams) {
    for (const { key } of staging.range(table, { ...whole, limit: left })) {
      staging.remove(table, key);
      left--;
    }
    if (left <= 0) return true;
  }
  staging.remove('removed', streamPrefix(number));
  return false;
}
