import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type FieldSchema, findMismatch, toJsonSchema } from './field-schema.ts';

interface Box {
  readonly width: number;
  readonly color: 'red' | 'blue';
  readonly tags?: readonly string[];
  readonly sizes?: Readonly<Record<string, number>>;
}

const box: FieldSchema<Box> = {
  type: 'object',
  description: 'A box.',
  properties: {
    width: { type: 'integer', description: 'How wide.', required: true },
    color: { type: 'string', description: 'Which.', enum: ['red', 'blue'], default: 'red' },
    tags: {
      type: 'array',
      description: 'Words.',
      items: { type: 'string', description: 'A word.' },
    },
    sizes: {
      type: 'object',
      description: 'Sizes by name.',
      additionalProperties: { type: 'number', description: 'A size.' },
    },
  },
};

test('toJsonSchema() lists required properties with their object', () => {
  const schema = toJsonSchema(box);
  assert.deepEqual(schema.required, ['width']);
  assert.deepEqual(schema.properties?.width, { type: 'integer', description: 'How wide.' });
  assert.equal(schema.properties?.color?.default, 'red');
});

test('findMismatch() accepts what the type promises', () => {
  const value = { width: 1, color: 'blue', tags: ['a'], sizes: { a: 1.5 } };
  assert.equal(findMismatch(toJsonSchema(box), value, ''), undefined);
});

const refused: readonly [unknown, string][] = [
  [null, ': expected object, found null'],
  [{ color: 'red' }, 'width: expected integer, found nothing'],
  [{ width: 1 }, 'color: expected string, found nothing'],
  [{ width: 1.5, color: 'red' }, 'width: expected integer, found 1.5'],
  [{ width: 1, color: 'green' }, 'color: expected one of red, blue, found "green"'],
  [{ width: 1, color: 'red', tags: ['a', 1] }, 'tags[1]: expected string, found 1'],
  [{ width: 1, color: 'red', sizes: { a: '1' } }, 'sizes[a]: expected number, found "1"'],
];

for (const [value, expected] of refused) {
  test(`findMismatch() says where ${JSON.stringify(value)} is wrong`, () => {
    assert.equal(findMismatch(toJsonSchema(box), value, ''), expected);
  });
}
