import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { toHttpHeaders } from '../ingress/event-answers.ts';
import type { CloudEvent } from './cloud-event.ts';
import {
  contentModeOf,
  formatBinary,
  formatStructured,
  parseHttpEvents,
  parsePlainEvent,
} from './http-event.ts';

const required = { specversion: '1.0', id: '1', source: '/s', type: 't' } as const;
const binary = { 'ce-specversion': '1.0', 'ce-id': '1', 'ce-source': '/s', 'ce-type': 't' };
const nothing = new Uint8Array();

function structured(event: unknown, type = 'application/cloudevents+json'): readonly CloudEvent[] {
  const text = typeof event === 'string' ? event : JSON.stringify(event);
  return parseHttpEvents({ 'content-type': type }, Buffer.from(text));
}

function textOf(event: CloudEvent | undefined): string | undefined {
  return event?.data && Buffer.from(event.data).toString();
}

test('contentModeOf() tells the modes apart as section 3 of the HTTP binding says', () => {
  assert.equal(contentModeOf({ 'content-type': 'Application/CloudEvents+JSON' }), 'structured');
  assert.equal(contentModeOf({ 'content-type': 'application/cloudevents-batch+json' }), 'batch');
  assert.equal(contentModeOf({ ...binary, 'content-type': 'text/plain' }), 'binary');
  assert.equal(contentModeOf({ 'content-type': 'application/json' }), undefined);
});

test('the header value of the specification is read and written', () => {
  const headers = { ...binary, 'ce-subject': 'Euro%20%E2%82%AC%20%F0%9F%98%80' };
  const [event] = parseHttpEvents(headers, nothing);
  assert.equal(event?.attributes.subject, 'Euro € 😀');
  assert.ok(event);
  assert.equal(formatBinary(event).headers['ce-subject'], headers['ce-subject']);
});

test('header values as older senders write them are read', () => {
  const read = (value: string): unknown =>
    parseHttpEvents({ ...binary, 'ce-subject': value }, nothing)[0]?.attributes.subject;
  assert.equal(read('"a \\"b\\" c"'), 'a "b" c');
  assert.equal(read('a b'), 'a b');
  assert.equal(read('100%'), '100%');
  assert.equal(read('%e2%82%ac'), '€');
  assert.equal(read(Buffer.from('€').toString('latin1')), '€');
  assert.equal(read('%2541'), '%41');
});

test('JSON data is kept as it is written: numbers, order, spelling', () => {
  const data = '{"b": 12345678901234567890, "a": 1.0, "\\u0061": 1e400, "data": "}"}';
  const text = `{"data": 1, "specversion":"1.0","id":"1", "d\\u0061ta" : ${data} ,"source":"/s","type":"t"}`;
  const [event] = structured(text);
  assert.equal(textOf(event), data);
  assert.equal(event?.attributes.datacontenttype, 'application/json');
  const batch = parseHttpEvents(
    { 'content-type': 'application/cloudevents-batch+json; charset=UTF-8' },
    Buffer.from(` [ ${text} , ${text}] `),
  );
  assert.deepEqual(batch.map(textOf), [data, data]);
});

test('the examples of the JSON format are read as it tells', () => {
  const read = (more: object): CloudEvent | undefined => structured({ ...required, ...more })[0];
  assert.equal(textOf(read({ data: "I'm just a string" })), '"I\'m just a string"');
  assert.equal(textOf(read({ datacontenttype: 'application/json', data: null })), 'null');
  assert.equal(textOf(read({ datacontenttype: 'application/json', data: 1.5 })), '1.5');
  const xml = read({ datacontenttype: 'application/xml', data: '<much wow="xml"/>', unset: null });
  assert.equal(textOf(xml), '<much wow="xml"/>');
  assert.ok(xml && !('unset' in xml.attributes));
  const bytes = read({ data_base64: 'eyAieHl6IjogMTIzIH0=' });
  assert.equal(textOf(bytes), '{ "xyz": 123 }');
  assert.equal(bytes?.attributes.datacontenttype, undefined);
});

test('data is written as JSON, as text or as Base64, whichever its type and its bytes allow', () => {
  const write = (datacontenttype: string, data: string | number[]): string => {
    const event = { attributes: { ...required, datacontenttype }, data: Buffer.from(data) };
    return Buffer.from(formatStructured(event).body).toString();
  };
  assert.match(write('application/json', '{"a":1}'), /,"data":\{"a":1\}\}$/);
  assert.match(write('application/json', '{'), /,"data_base64":"ew=="\}$/);
  assert.match(write('text/plain', 'a"b'), /,"data":"a\\"b"\}$/);
  assert.match(write('text/plain', [0xff]), /,"data_base64":"\/w=="\}$/);
  assert.match(write('text/plain; charset=utf-16', 'ab'), /,"data_base64":"YWI="\}$/);
  assert.match(write('image/png', 'ab'), /,"data_base64":"YWI="\}$/);
});

const wrongAttributes: readonly (readonly [string, unknown, RegExp])[] = [
  ['id', '', /expected a text that is not empty/],
  ['id', undefined, /found none/],
  ['id', 1, /found 1, expected a text/],
  ['source', 'a b', /expected a URI reference/],
  ['source', '1a:b', /expected a URI reference/],
  ['source', 'a#b#c', /expected a URI reference/],
  ['source', 'a[b]', /expected a URI reference/],
  ['specversion', '0.3', /found "0.3", expected "1.0"/],
  ['time', '2024-02-30T00:00:00Z', /expected a time as RFC 3339/],
  ['time', 'yesterday', /expected a time as RFC 3339/],
  ['time', '2024-02-29T24:00:00Z', /expected a time as RFC 3339/],
  ['datacontenttype', 'json', /expected a media type/],
  ['datacontenttype', `a/b${'; '.repeat(60)};!=`, /expected a media type/],
  ['dataschema', '/relative', /expected a URI/],
  ['subject', 'a\nb', /without control characters/],
  ['ext', '\uD800', /without control characters/],
  ['ext', '\uFFFF', /without control characters/],
  ['ext', 1.5, /expected a text, a boolean or a whole number/],
  ['ext', 2 ** 31, /expected a text, a boolean or a whole number/],
  ['ext', { a: 1 }, /expected a text, a boolean or a whole number/],
  ['Ext', 'x', /expected 1 to 64 lower-case letters/],
  ['my_ext', 'x', /expected 1 to 64 lower-case letters/],
  ['ext', 'x'.repeat(8_193), /found 8193 characters/],
];

test('an attribute that is wrong is told by name, with what was found and expected', () => {
  for (const [attribute, value, message] of wrongAttributes) {
    const event = { ...required, [attribute]: value };
    assert.throws(() => structured(event), { code: 'InvalidEvent', attribute, message });
  }
});

test('attributes at the edge of what is allowed are read', () => {
  for (const time of ['2024-02-29T23:59:60Z', '2023-01-01t00:00:00.123456789+14:00']) {
    assert.equal(structured({ ...required, time })[0]?.attributes.time, time);
  }
  for (const source of ['//[::1]:80/a', 'mailto:a@b', '?q', '#f', './a:b', 'https://x/%20']) {
    assert.equal(structured({ ...required, source })[0]?.attributes.source, source);
  }
  for (const datacontenttype of ['a/b;c=d', 'text/plain; charset="x;\\"y" ; z=1 ;']) {
    const [event] = structured({ ...required, datacontenttype });
    assert.equal(event?.attributes.datacontenttype, datacontenttype);
  }
});

test('what is no event is refused, and told why', () => {
  const invalid = (message: RegExp): object => ({ code: 'InvalidEvent', message });
  assert.throws(() => parseHttpEvents({}, nothing), invalid(/neither a header ce-specversion/));
  assert.throws(() => structured('{'), invalid(/found no JSON/));
  assert.throws(() => structured([]), invalid(/found an array, expected a JSON object/));
  assert.throws(
    () => structured({ ...required, data: 1, data_base64: '' }),
    invalid(/found data and data_base64/),
  );
  assert.throws(() => structured({ ...required, data_base64: '!!' }), invalid(/Base64/));
  assert.throws(
    () => structured({ ...required, datacontenttype: 'text/plain', data: {} }),
    invalid(/expected a string/),
  );
  assert.throws(
    () => parseHttpEvents({ ...binary, 'ce-datacontenttype': 'a/b' }, nothing),
    invalid(/as the header content-type/),
  );
  assert.throws(() => parseHttpEvents({ ...binary, 'ce-x': '%C0%A0' }, nothing), invalid(/UTF-8/));
  assert.throws(
    () => parseHttpEvents({ ...binary, 'ce-x': ['a', 'b'] }, nothing),
    invalid(/2 head/),
  );
  const many = Object.fromEntries(Array.from({ length: 61 }, (_, index) => [`x${index}`, 1]));
  assert.throws(() => structured({ ...required, ...many }), invalid(/found 65 attributes/));
});

test('formats that are not read, and batches that are too long, are refused', () => {
  const unsupported = { code: 'UnsupportedFormat' };
  assert.throws(() => structured(required, 'application/cloudevents+avro'), unsupported);
  assert.throws(() => structured(required, 'application/cloudevents'), unsupported);
  assert.throws(
    () => structured(required, 'application/cloudevents+json; charset=utf-16'),
    unsupported,
  );
  const batch = `[${Array(1_001).fill('{}').join(',')}]`;
  assert.throws(() => structured(batch, 'application/cloudevents-batch+json'), {
    code: 'TooManyEvents',
  });
});

test('parsePlainEvent() reads, and refuses, what parseHttpEvents() does, or leaves it to that', () => {
  const name = fc.oneof(
    fc.constantFrom('ce-specversion', 'Ce-Id', 'CE-SOURCE', 'ce-type', 'ce-time', 'ce-own'),
    fc.constantFrom('Content-Type', 'content-encoding', 'ce-datacontenttype', 'ce-', 'x-own'),
  );
  const value = fc.constantFrom(
    ...['1.0', '/s', 'a b', '%e2%82%ac', '%ff', '"q"', '', 'identity', 'gzip', 'text/plain'],
    ...['application/cloudevents+json', '2026-01-01T00:00:00Z', 'x'.repeat(9_000)],
  );
  const others = fc.array(fc.tuple(name, value), { maxLength: 4 });
  let plain = 0;
  const outcome = (read: () => unknown): unknown => {
    try {
      return read();
    } catch (error) {
      return error instanceof Error ? error.message : error;
    }
  };
  const check = (added: readonly (readonly [string, string])[], isWhole: boolean): void => {
    const fields = [...(isWhole ? Object.entries(binary) : []), ...added];
    const found = outcome(() => parsePlainEvent(fields, nothing));
    if (found === undefined) return;
    plain++;
    const read = outcome(() => parseHttpEvents(toHttpHeaders(fields), nothing)[0]);
    assert.deepEqual(found, read);
  };
  fc.assert(fc.property(others, fc.boolean(), check), { seed: 1, numRuns: 5_000 });
  assert.ok(plain > 500, `${plain} messages were plain`);
});
