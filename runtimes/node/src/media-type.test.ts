import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { matchMediaType, mediaTypeOf, negotiate, withCharset } from './media-type.ts';

for (const [name, type] of [
  ['json', 'application/json'],
  ['.html', 'text/html'],
  ['PNG', 'image/png'],
  ['a/b', 'a/b'],
  ['+json', '*/*+json'],
  ['unknown', 'unknown'],
] as const) {
  test(`mediaTypeOf() of ${name}`, () => assert.equal(mediaTypeOf(name), type));
}

for (const [type, whole] of [
  ['text/html', 'text/html; charset=utf-8'],
  ['application/json', 'application/json; charset=utf-8'],
  ['text/html; charset=latin1', 'text/html; charset=latin1'],
  ['image/png', 'image/png'],
  ['application/jsonl', 'application/jsonl'],
] as const) {
  test(`withCharset() of ${type}`, () => assert.equal(withCharset(type), whole));
}

const bodies: readonly (readonly [string | undefined, readonly string[], string | false])[] = [
  ['application/json; charset=utf-8', ['json'], 'json'],
  ['application/json', ['html', 'application/json'], 'application/json'],
  ['application/json', ['application/*'], 'application/json'],
  ['application/json', ['*/*'], 'application/json'],
  ['application/json', ['text'], false],
  ['application/vnd.api+json', ['+json'], 'application/vnd.api+json'],
  ['application/json', ['+json'], false],
  ['multipart/form-data; boundary=x', ['multipart'], 'multipart/form-data'],
  ['application/x-www-form-urlencoded', ['urlencoded'], 'urlencoded'],
  ['Text/HTML', [], 'text/html'],
  [undefined, ['json'], false],
  ['nonsense', ['*/*'], false],
];
for (const [type, patterns, expected] of bodies) {
  test(`matchMediaType() of ${type} against ${patterns.join()}`, () => {
    assert.equal(matchMediaType(type, patterns), expected);
  });
}

type Negotiation = readonly [string | undefined, readonly string[], ReturnType<typeof negotiate>];
const types: readonly Negotiation[] = [
  [undefined, ['json', 'html'], 'json'],
  ['text/html', ['json', 'html'], 'html'],
  ['text/*;q=0.5, application/json', ['html', 'json'], 'json'],
  ['text/html;q=0, */*', ['html', 'json'], 'json'],
  ['text/html;q=0, */*', ['html'], false],
  ['image/png', ['json'], false],
  ['*/*;q=0.1, text/html;q=0.9', ['json', 'html'], 'html'],
  ['b/c;q=0.2, a/b', [], ['a/b', 'b/c']],
];
for (const [header, offers, expected] of types) {
  test(`negotiate() of types: ${header} for ${offers.join()}`, () => {
    assert.deepEqual(negotiate(header, offers, 'type'), expected);
  });
}

test('negotiate() of languages and encodings', () => {
  assert.equal(negotiate('de;q=0.5, en', ['de', 'en-GB']), 'en-GB');
  assert.equal(negotiate('gzip, *;q=0', ['br']), false);
  assert.equal(negotiate(undefined, ['utf-8']), 'utf-8');
});

test('negotiate() answers with an offer or nothing, whatever is asked for', () => {
  const offers = ['json', 'text/html', 'image/*'];
  fc.assert(
    fc.property(fc.string(), (header) => {
      const chosen = negotiate(header, offers, 'type');
      assert.ok(chosen === false || (typeof chosen === 'string' && offers.includes(chosen)));
    }),
  );
});
