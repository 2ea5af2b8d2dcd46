import { isJsonObject } from '@fnlet/base';
import type { CloudEvent } from '../../event/cloud-event.ts';
import { parseHttpEvents } from '../../event/http-event.ts';
import { messageEvent } from '../message-event.ts';
import { partitionKeyText } from '../partition-key.ts';
import type { ShardRecord } from './kinesis-answers.ts';

/** The type of events that are records of Kinesis. */
export const kinesisRecordType = 'dev.fnlet.kinesis.record';

/** Where a record comes from. */
export interface RecordOrigin {
  /** URI reference of the Trigger. */
  readonly source: string;
  readonly stream: string;
  readonly shard: string;
}

/**
 * The event that a record carries, where its data is one in JSON; any other record is an event of
 * its own, whose id is its place as AWS Lambda writes it. Its partition key is the attribute
 * `partitionkey`, unless the event has one.
 */
export function kinesisEvent(record: ShardRecord, origin: RecordOrigin): CloudEvent {
  const { sequence, partitionKey, arrivedMs, data } = record;
  const { source, stream, shard } = origin;
  const { attributes, data: body } = messageEvent(
    {
      attributes: {
        id: `${shard}:${sequence}`,
        source: `${source}#${encodeURIComponent(stream)}`,
        type: kinesisRecordType,
        subject: shard,
        ...(arrivedMs === undefined ? {} : { time: new Date(arrivedMs).toISOString() }),
      },
      body: data,
    },
    () => (isEvent(data) ? parseHttpEvents(structured, data)[0] : undefined),
  );
  if (attributes.partitionkey !== undefined || partitionKey === '') {
    return { attributes, data: body };
  }
  const partitionkey = partitionKeyText(Buffer.from(partitionKey));
  return { attributes: { ...attributes, partitionkey }, data: body };
}

const structured = { 'content-type': 'application/cloudevents+json' };

/** Records have no headers that would say so; and few hold what looks like an event and is none. */
function isEvent(data: Uint8Array): boolean {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.length);
  if (!bytes.includes('"specversion"')) return false;
  try {
    const value: unknown = JSON.parse(bytes.toString());
    return isJsonObject(value) && value.specversion === '1.0';
  } catch {
    return false;
  }
}
