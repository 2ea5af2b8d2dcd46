/** Any event that the specification allows, for tests of properties. */
import fc from 'fast-check';
import type { AttributeValue, CloudEvent, EventAttributes } from '../src/event/cloud-event.ts';

const core = ['id', 'source', 'type', 'specversion', 'subject', 'time', 'datacontenttype'];
const reserved = [...core, 'dataschema', 'data', 'schemaurl', 'datacontentencoding'];

/** Any text that an attribute may hold. */
export const attributeText: fc.Arbitrary<string> = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
  .filter((text) => !/[\p{Cc}\p{Noncharacter_Code_Point}\p{Cs}]/u.test(text));

/** Texts that need no encoding in a header. */
export const plainText: fc.Arbitrary<string> = fc.stringMatching(
  /^[A-Za-z0-9!#$&'()*+,./:;<=>?@-]{1,20}$/,
);

const extensionName = fc
  .stringMatching(/^[a-z][a-z0-9]{0,19}$/)
  .filter((name) => !reserved.includes(name));

const integer = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 });

const time = fc
  .date({ min: new Date(0), max: new Date(4e12), noInvalidDate: true })
  .map((date) => date.toISOString());

function attributesOf(
  text: fc.Arbitrary<string>,
  extension: fc.Arbitrary<AttributeValue>,
): fc.Arbitrary<EventAttributes> {
  const known = fc.record(
    {
      id: text,
      source: fc.constantFrom(
        '/sensors/1',
        'https://example.com/a?b=c#d',
        'urn:uuid:6e8bc430',
        'x',
      ),
      type: text,
      specversion: fc.constant<'1.0'>('1.0'),
      subject: text,
      time,
      dataschema: fc.constant('https://example.com/schema'),
    },
    { requiredKeys: ['id', 'source', 'type', 'specversion', 'time'] },
  );
  const extensions = fc.dictionary(extensionName, extension, { maxKeys: 4, noNullPrototype: true });
  return fc.tuple(known, extensions).map(([first, second]) => ({ ...second, ...first }));
}

/** Data of some type; JSON is JSON. */
const honestData = fc.oneof(
  fc.constant({ type: undefined, data: undefined }),
  fc.json().map((text) => ({ type: 'application/json', data: Buffer.from(text) })),
  fc.json().map((text) => ({ type: 'application/vnd.x+json', data: Buffer.from(text) })),
  fc.string({ minLength: 1 }).map((text) => ({ type: 'text/plain', data: Buffer.from(text) })),
  fc.uint8Array({ minLength: 1 }).map((data) => ({ type: 'application/octet-stream', data })),
  fc.uint8Array({ minLength: 1 }).map((data) => ({ type: undefined, data })),
);

const anyData = fc.oneof(
  honestData,
  fc.uint8Array({ minLength: 1 }).map((data) => ({ type: 'application/json', data })),
);

function eventOf(
  attributes: fc.Arbitrary<EventAttributes>,
  content: typeof honestData | typeof anyData,
): fc.Arbitrary<CloudEvent> {
  return fc.tuple(attributes, content).map(([given, { type, data }]) => ({
    attributes: type === undefined ? given : { ...given, datacontenttype: type },
    data: data === undefined ? undefined : Uint8Array.from(data),
  }));
}

/** Any event; its extensions are of all types. */
export const anyEvent: fc.Arbitrary<CloudEvent> = eventOf(
  attributesOf(attributeText, fc.oneof(attributeText, integer, fc.boolean())),
  anyData,
);

/** Events whose attributes are texts: a header tells no type. */
export const textEvent: fc.Arbitrary<CloudEvent> = eventOf(
  attributesOf(attributeText, attributeText),
  anyData,
);

/** Events whose attributes are texts that need no encoding, and whose data is what it claims. */
export const plainEvent: fc.Arbitrary<CloudEvent> = eventOf(
  attributesOf(plainText, plainText),
  honestData,
);
