import { isJsonObject } from '@fnlet/base';
import type { StreamOptions } from './log.ts';
import { LogError } from './log-error.ts';

/** What a log knows of a stream without reading its records; it never changes. */
export interface StreamHead {
  readonly name: string;
  /** Of all streams that ever were; it begins the keys of the stream's rows. */
  readonly number: number;
  readonly options: StreamOptions;
  readonly records: number;
  readonly bytes: number;
  /** The sequence that was given last. */
  readonly last: number;
  /** The number that was given to a consumer last. */
  readonly lastConsumer: number;
}

export function newHead(name: string, number: number, options: StreamOptions): StreamHead {
  return { name, number, options, records: 0, bytes: 0, last: 0, lastConsumer: 0 };
}

export function encodeHead(head: StreamHead): Buffer {
  const { number, options, records, bytes, last, lastConsumer } = head;
  return Buffer.from(JSON.stringify({ number, options, records, bytes, last, lastConsumer }));
}

/** @throws LogError `Broken` */
export function decodeHead(name: string, value: Uint8Array): StreamHead {
  const head: unknown = JSON.parse(Buffer.from(value).toString());
  if (isJsonObject(head)) {
    const { number, options, records, bytes, last, lastConsumer } = head;
    if (
      typeof number === 'number' &&
      isJsonObject(options) &&
      typeof records === 'number' &&
      typeof bytes === 'number' &&
      typeof last === 'number' &&
      typeof lastConsumer === 'number'
    ) {
      return { name, number, options, records, bytes, last, lastConsumer };
    }
  }
  throw new LogError(
    'Broken',
    `Cannot open stream "${name}": found ${JSON.stringify(head)}, expected its head`,
  );
}

/** Whether records must go so that the stream keeps no more than it may. */
export function exceedsBounds({ options, records, bytes }: StreamHead): boolean {
  const { maxRecords = Number.POSITIVE_INFINITY, maxBytes = Number.POSITIVE_INFINITY } = options;
  return records > maxRecords || bytes > maxBytes;
}
