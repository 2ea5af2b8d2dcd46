import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { builtinFacts, messageName } from '../src/builtins/facts/builtin-facts.ts';
import { builtinKinds } from '../src/builtins/facts/builtin-kinds.ts';
import { builtinTypes } from '../src/builtins/facts/builtin-schema.ts';
import type { MessageFact, ScalarName, TypeFact } from '../src/builtins/facts/message-fact.ts';
import { readMessage } from '../src/protobuf/message-reader.ts';
import { writeMessage } from './wire-writer.ts';

const seconds = fc.integer({ min: 0, max: 4_000_000_000 });

const scalars: Partial<Record<ScalarName, fc.Arbitrary<unknown>>> = {
  bool: fc.boolean(),
  int32: fc.integer(),
  int64: fc.maxSafeInteger(),
  float64: fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
  bytes: fc.uint8Array({ maxLength: 9 }).map((bytes) => Buffer.from(bytes).toString('base64')),
  Time: seconds.map((at) => `${new Date(at * 1000).toISOString().slice(0, 19)}Z`),
  MicroTime: fc.tuple(seconds, fc.nat(999_999)).map(([at, micros]) => {
    const whole = new Date(at * 1000).toISOString().slice(0, 19);
    return `${whole}.${String(micros).padStart(6, '0')}Z`;
  }),
  Duration: fc.constant(undefined),
  Quantity: fc.constantFrom('1', '500m', '1Gi', '0'),
  IntOrString: fc.oneof(fc.integer(), fc.string()),
  RawExtension: fc.dictionary(fc.string(), fc.integer(), { noNullPrototype: true }),
  FieldsV1: fc.constant({ 'f:metadata': {} }),
  JSON: fc.json().map((text): unknown => JSON.parse(text)),
  JSONSchemaPropsOrArray: fc.constant(undefined),
  JSONSchemaPropsOrBool: fc.constant(undefined),
  JSONSchemaPropsOrStringArray: fc.constant(undefined),
};

function anyOf(type: TypeFact, depth: number): fc.Arbitrary<unknown> {
  switch (type.kind) {
    case 'scalar':
      return scalars[type.scalar] ?? fc.string();
    case 'list':
      return fc.array(anyOf(type.item, depth), { minLength: 1, maxLength: 2 });
    case 'map': {
      const size = { minKeys: 1, maxKeys: 2, noNullPrototype: true };
      return fc.dictionary(fc.string(), anyOf(type.item, depth), size);
    }
    case 'message':
      return messageOf(builtinFacts.message(type.message), depth - 1);
  }
}

function messageOf(message: MessageFact, depth: number): fc.Arbitrary<unknown> {
  const items = message.isList ? message.fields.get('items') : undefined;
  if (items !== undefined) return anyOf(items.type, depth);
  if (depth <= 0) return fc.constant({});
  const fields = [...message.fields.values()];
  const maxLength = Math.min(4, fields.length);
  return fc.subarray(fields, { maxLength }).chain((chosen) => {
    const values = chosen.map(({ name, type }) => [name, anyOf(type, depth)] as const);
    return fc.record(Object.fromEntries(values)).map(withoutUndefined);
  });
}

function withoutUndefined(value: Readonly<Record<string, unknown>>): unknown {
  return Object.fromEntries(Object.entries(value).filter(([, item]) => item !== undefined));
}

const anyObject = fc.constantFrom(...builtinKinds).chain((kind) => {
  const name = messageName(kind);
  return messageOf(builtinFacts.message(name), 5).map((value) => ({ name, value }));
});

test('readMessage() reads back every object of every builtin kind', () => {
  fc.assert(
    fc.property(anyObject, ({ name, value }) => {
      assert.deepEqual(readMessage(builtinFacts, name, writeMessage(name, value)), value);
    }),
    { numRuns: 500 },
  );
});

test('an object from protobuf is decoded like the same object from JSON', () => {
  fc.assert(
    fc.property(anyObject, ({ name, value }) => {
      const read = readMessage(builtinFacts, name, writeMessage(name, value));
      const json: unknown = JSON.parse(JSON.stringify(value));
      assert.ok(typeof json === 'object' && json !== null);
      assert.deepEqual(builtinTypes.decode(name, read), builtinTypes.decode(name, { ...json }));
    }),
  );
});

test('cut or changed bytes give another object or a WireError, never anything else', () => {
  const change = fc.record({ at: fc.nat(), byte: fc.nat(255), end: fc.nat() });
  fc.assert(
    fc.property(anyObject, change, ({ name, value }, { at, byte, end }) => {
      const bytes = writeMessage(name, value);
      if (bytes.length > 0) bytes[at % bytes.length] = byte;
      try {
        readMessage(builtinFacts, name, bytes.subarray(0, end % (bytes.length + 1)));
      } catch (error) {
        assert.ok(error instanceof Error && 'code' in error, String(error));
        assert.equal(error.code, 'MalformedProtobuf');
      }
    }),
    { numRuns: 300 },
  );
});
