import type { CloudEvent, EventAttributes } from '../../event/cloud-event.ts';
import { parseAttributes } from '../../event/event-attributes.ts';
import { contentModeOf, parseHttpEvents } from '../../event/http-event.ts';
import { messageEvent } from '../message-event.ts';
import { partitionKeyText } from '../partition-key.ts';

/** The type of events that are records of Kafka. */
export const kafkaRecordType = 'dev.fnlet.kafka.record';

/** A record, as far as an event is made of it. */
export interface KafkaRecord {
  readonly topic: string;
  readonly partition: number;
  readonly offset: bigint;
  readonly timestampMs: number;
  readonly key: Uint8Array | null | undefined;
  readonly value: Uint8Array | null | undefined;
  readonly headers: Iterable<readonly [Uint8Array, Uint8Array | null]>;
  /** Which making of the topic it is from, as it stands behind the id. */
  readonly mark: string;
}

const attributePrefix = 'ce_';
/** Years of events have four digits. */
const lastTimeMs = Date.parse('9999-12-31T23:59:59.999Z');

/**
 * The event that a record carries: in its value, or in its headers (the Kafka binding of
 * CloudEvents, structured and binary mode); any other record is an event of its own. Its key is the
 * attribute `partitionkey`, unless the event has one.
 *
 * @param source URI reference of the Trigger
 */
export function kafkaEvent(record: KafkaRecord, source: string): CloudEvent {
  const { topic, partition, offset, timestampMs, mark } = record;
  const body = record.value ?? new Uint8Array();
  const headers = [...record.headers].map(readHeader);
  const contentType = headers.find(([name]) => name === 'content-type')?.[1];
  const attributes: Pick<EventAttributes, 'id' | 'source' | 'type'> & Partial<EventAttributes> = {
    id: `${topic}/${partition}/${offset}${mark}`,
    source: `${source}#${encodeURIComponent(topic)}`,
    type: kafkaRecordType,
    subject: `partition:${partition}#${offset}`,
    ...(isTime(timestampMs) ? { time: new Date(timestampMs).toISOString() } : {}),
  };
  const event = messageEvent({ attributes, contentType, body }, () => {
    const known = contentType === undefined ? {} : { 'content-type': contentType };
    if (contentModeOf(known) === 'structured') return parseHttpEvents(known, body)[0];
    return binaryEvent(headers, contentType, record.value ?? undefined);
  });
  return withKey(event, record.key);
}

/** Producers say the time; some have none, or count it otherwise. */
function isTime(ms: number): boolean {
  return ms >= 0 && ms <= lastTimeMs;
}

function readHeader([name, value]: readonly [Uint8Array, Uint8Array | null]): readonly [
  string,
  string,
] {
  return [textOf(name).toLowerCase(), textOf(value ?? new Uint8Array())];
}

/** Unlike those of HTTP, headers of records are plain UTF-8. */
function binaryEvent(
  headers: readonly (readonly [string, string])[],
  contentType: string | undefined,
  data: Uint8Array | undefined,
): CloudEvent | undefined {
  const given = headers.filter(([name]) => name.startsWith(attributePrefix));
  if (!given.some(([name]) => name === 'ce_specversion')) return undefined;
  const named = given.map(([name, value]) => [name.slice(attributePrefix.length), value] as const);
  const attributes = parseAttributes([...named, ['datacontenttype', contentType]]);
  return { attributes, data };
}

function withKey(event: CloudEvent, key: Uint8Array | null | undefined): CloudEvent {
  const { attributes, data } = event;
  if (key === null || key === undefined || key.length === 0) return event;
  if (attributes.partitionkey !== undefined) return event;
  return { attributes: { ...attributes, partitionkey: partitionKeyText(key) }, data };
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('utf8');
}
