/**
 * Events as bytes for the log: one byte that tells the version, one that tells whether there is
 * data, four with the length of the attributes, the attributes as JSON, the data as it is.
 *
 * I1. What was packed by an older version is unpacked: a version once written is read for ever.
 */
import { isJsonObject } from '@fnlet/base';
import type { CloudEvent, EventAttributes } from './cloud-event.ts';
import { EventError } from './event-error.ts';

const version = 1;
const headBytes = 6;

/** The event as bytes. */
export function packEvent({ attributes, data }: CloudEvent): Uint8Array {
  const text = JSON.stringify(attributes);
  const textBytes = Buffer.byteLength(text);
  const packed = Buffer.allocUnsafe(headBytes + textBytes + (data?.length ?? 0));
  packed[0] = version;
  packed[1] = data === undefined ? 0 : 1;
  packed.writeUInt32LE(textBytes, 2);
  packed.write(text, headBytes, 'utf8');
  if (data !== undefined) packed.set(data, headBytes + textBytes);
  return packed;
}

/**
 * The event of these bytes; its data is a view of them, not a copy.
 *
 * @throws EventError `BrokenRecord`
 */
export function unpackEvent(packed: Uint8Array): CloudEvent {
  const bytes = Buffer.from(packed.buffer, packed.byteOffset, packed.byteLength);
  if (bytes[0] !== version || bytes.length < headBytes) {
    throw broken(`found version ${bytes[0]}, expected ${version}`);
  }
  const end = headBytes + bytes.readUInt32LE(2);
  const data = bytes[1] === 0 ? undefined : bytes.subarray(end);
  return { attributes: readAttributes(bytes.toString('utf8', headBytes, end)), data };
}

function readAttributes(text: string): EventAttributes {
  let attributes: unknown;
  try {
    attributes = JSON.parse(text);
  } catch (cause) {
    throw broken('found attributes that are no JSON, expected what was packed', cause);
  }
  // They were checked when the event was accepted.
  if (isPacked(attributes)) return attributes;
  throw broken('found no attributes of an event, expected what was packed');
}

function isPacked(value: unknown): value is EventAttributes {
  if (!isJsonObject(value)) return false;
  const { specversion, id, source, type } = value;
  return specversion === '1.0' && [id, source, type].every((text) => typeof text === 'string');
}

function broken(text: string, cause?: unknown): EventError {
  return new EventError('BrokenRecord', `Cannot read kept event: ${text}`, { cause });
}
