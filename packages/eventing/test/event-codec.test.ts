import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HTTP, type Message, CloudEvent as SdkEvent } from 'cloudevents';
import fc from 'fast-check';
import type { CloudEvent, EventAttributes } from '../src/event/cloud-event.ts';
import { EventError } from '../src/event/event-error.ts';
import {
  formatBatch,
  formatBinary,
  formatStructured,
  type HttpEventMessage,
  parseHttpEvents,
} from '../src/event/http-event.ts';
import { packEvent, unpackEvent } from '../src/event/packed-event.ts';
import { anyEvent, plainEvent, textEvent } from './event-arbitrary.ts';

/** The same bytes, whatever class holds them. */
function plain({ attributes, data }: CloudEvent): unknown {
  return { attributes: { ...attributes }, data: data && Buffer.from(data).toString('hex') };
}

function assertSame(actual: readonly CloudEvent[], expected: readonly CloudEvent[]): void {
  assert.deepEqual(actual.map(plain), expected.map(plain));
}

/** The same but for white space in data that is JSON: in the JSON format it is part of a document. */
function assertSameMeaning(actual: readonly CloudEvent[], expected: readonly CloudEvent[]): void {
  assert.deepEqual(actual.map(meant), expected.map(meant));
}

function meant(event: CloudEvent): unknown {
  const { attributes, data } = event;
  try {
    return { attributes: { ...attributes }, json: JSON.parse(Buffer.from(data ?? []).toString()) };
  } catch {
    return plain(event);
  }
}

function parse({ headers, body }: HttpEventMessage): readonly CloudEvent[] {
  return parseHttpEvents(headers, body);
}

test('every event comes back as it was from the log', () => {
  fc.assert(fc.property(anyEvent, (event) => assertSame([unpackEvent(packEvent(event))], [event])));
});

test('every event comes back as it was from the JSON format, alone and in a batch', () => {
  fc.assert(
    fc.property(fc.array(anyEvent, { maxLength: 4 }), (events) => {
      for (const event of events) assertSameMeaning(parse(formatStructured(event)), [event]);
      assertSameMeaning(parse(formatBatch(events)), events);
    }),
  );
});

test('every event whose attributes are texts comes back as it was from headers and body', () => {
  fc.assert(
    fc.property(textEvent, (event) => {
      const message = formatBinary(event);
      for (const value of Object.values(message.headers)) assert.match(value, /^[\x20-\x7e]*$/);
      assertSame(parse(message), [event]);
    }),
  );
});

test('the official SDK reads what is written here', () => {
  fc.assert(
    fc.property(plainEvent, (event) => {
      const { data } = event;
      const binary = sdkRead(formatBinary(event));
      for (const [name, value] of Object.entries(event.attributes)) {
        assert.equal(String(binary[name]), String(value), name);
      }
      if (data === undefined) return;
      const structured = sdkRead(formatStructured(event));
      assert.equal(structured.id, event.attributes.id);
      if (structured.data instanceof Uint32Array) {
        assert.deepEqual([...structured.data], [...data]);
      } else if (typeof structured.data === 'object') {
        assert.deepEqual(structured.data, JSON.parse(Buffer.from(data).toString()));
      }
    }),
  );
});

test('what the official SDK writes is read here', () => {
  const value = fc.oneof(fc.string(), fc.dictionary(fc.string(), fc.jsonValue()));
  fc.assert(
    fc.property(plainEvent, value, ({ attributes }, data) => {
      const type = typeof data === 'string' ? 'text/plain' : 'application/json';
      const given = { ...attributes, datacontenttype: type };
      const bytes = Buffer.from(typeof data === 'string' ? data : JSON.stringify(data));
      const sdk = new SdkEvent<unknown>({ ...given, data });
      const expected = { attributes: given, data: bytes };
      const binary = sdkMessage(HTTP.binary(sdk));
      assertSame(parse(binary), [bytes.length === 0 ? withoutData(given) : expected]);
      assertSame(parse(sdkMessage(HTTP.structured(sdk))), [expected]);
    }),
  );
});

test('a batch with an event that is none is refused whole, and says which it is', () => {
  const event = { specversion: '1.0', id: '1', type: 't', source: '/s' };
  const headers = { 'content-type': 'application/cloudevents-batch+json' };
  for (const [wrong, message] of [
    [{ ...event, type: '' }, /attribute "type" of event: .* \(event 2 of 3\)$/],
    [1, /found a value of type number.* \(event 2 of 3\)$/],
  ] as const) {
    const body = Buffer.from(JSON.stringify([event, wrong, event]));
    assert.throws(() => parseHttpEvents(headers, body), { code: 'InvalidEvent', message });
  }
});

test('bytes that are no event are refused with an error of ours, whatever they are', () => {
  const types = [
    'application/cloudevents+json',
    'application/cloudevents-batch+json',
    'text/plain',
  ];
  const body = fc.oneof(
    fc.uint8Array(),
    fc.json().map((text) => Buffer.from(text)),
    fc
      .string({ unit: fc.constantFrom('{', '}', '[', ']', '"', ':', ',', 'data', '1', ' ', '\\') })
      .map((text) => Buffer.from(text)),
  );
  const header = fc.string({ unit: 'binary' });
  fc.assert(
    fc.property(fc.constantFrom(...types), body, header, (type, bytes, text) => {
      const headers = { 'content-type': type, 'ce-specversion': '1.0', 'ce-id': text };
      assertRefusedOrRead(() => parseHttpEvents(headers, bytes));
      assertRefusedOrRead(() => unpackEvent(bytes));
      assertRefusedOrRead(() => unpackEvent(Buffer.concat([Buffer.of(1, 1, 2, 0, 0, 0), bytes])));
    }),
    { numRuns: 500 },
  );
});

test('an event with any byte of it changed is read or refused, never anything else', () => {
  fc.assert(
    fc.property(anyEvent, fc.nat(), fc.nat(255), (event, place, byte) => {
      const { headers, body } = formatStructured(event);
      const changed = Uint8Array.from(body);
      changed[place % body.length] = byte;
      assertRefusedOrRead(() => parseHttpEvents(headers, changed));
    }),
    { numRuns: 500 },
  );
});

function withoutData(attributes: EventAttributes): CloudEvent {
  return { attributes, data: undefined };
}

function assertRefusedOrRead(read: () => unknown): void {
  try {
    read();
  } catch (error) {
    assert.ok(error instanceof EventError, String(error));
  }
}

function sdkRead({ headers, body }: HttpEventMessage): SdkEvent<unknown> {
  const event = HTTP.toEvent<unknown>({ headers, body: Buffer.from(body).toString() });
  assert.ok(event instanceof SdkEvent);
  return event;
}

function sdkMessage({ headers, body }: Message<unknown>): HttpEventMessage {
  const texts = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]);
  assert.equal(typeof body, 'string');
  return { headers: Object.fromEntries(texts), body: Buffer.from(String(body)) };
}
