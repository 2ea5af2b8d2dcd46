import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { JsonScanner, planScan } from './json-scanner.ts';
import { parseProjection, projectValue, withoutManagedFields } from './projection.ts';

const scanner = new JsonScanner();

function scan(text: string, keep: readonly string[] = ['*']): unknown {
  // Bytes around the document must not matter.
  const bytes = Buffer.from(`"x${text}"}`);
  const document = { bytes, start: 2, end: bytes.length - 2 };
  return scanner.read(document, planScan(parseProjection(keep)));
}

// Names that meet the projections below, and all that makes a text hard to read. Not those that begin
// with a backslash: after one of them, JSON.parse (V8 13.6) takes escaped names for it.
const name = fc.oneof(
  fc.constantFrom('a', 'b', 'metadata', 'labels', 'name', 'items', '__proto__', 'a"b', 'ä', 'a\\'),
  fc.string({ unit: 'binary', maxLength: 5 }).filter((text) => !text.startsWith('\\')),
);
const scalar = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme', maxLength: 80 }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
);
const { tree: json } = fc.letrec((tie) => ({
  tree: fc.oneof(
    { maxDepth: 5 },
    scalar,
    fc.array(tie('tree'), { maxLength: 4 }),
    fc.dictionary(name, tie('tree'), { maxKeys: 5 }),
  ),
}));
const projections = [
  parseProjection([]),
  parseProjection(['a', 'b[*].a', 'metadata.name.a[*][*]']),
  parseProjection(["['ä'].a", "['a\"b'].b", "['__proto__'].a", 'a.b.a', 'b.b']),
  parseProjection(['*']),
  withoutManagedFields,
];

/** The text of a value with escapes and white space where nobody needs them. */
function loosely(value: unknown, indent: number, escapes: boolean): string {
  const text = JSON.stringify(value, undefined, indent);
  if (!escapes) return text;
  return text.replaceAll(/"(?:\\.|[^"\\])*"/g, (quoted) =>
    quoted.replaceAll(/\\u....|\\.|[a-eä]/g, (piece) =>
      piece.length > 1 ? piece : `\\u${piece.charCodeAt(0).toString(16).padStart(4, '0')}`,
    ),
  );
}

describe('JsonScanner', () => {
  it('keeps what JSON.parse and a projection give, of any document', () => {
    fc.assert(
      fc.property(
        json,
        fc.constantFrom(...projections),
        fc.nat(3),
        fc.boolean(),
        (value, projection, indent, escapes) => {
          const text = loosely(value, indent, escapes);
          const bytes = Buffer.from(text);
          const found = scanner.read({ bytes, start: 0, end: bytes.length }, planScan(projection));
          assert.deepEqual(found, projectValue(JSON.parse(text), projection));
        },
      ),
      { numRuns: 400 },
    );
  });

  it('gives each text as it is, however often its place in the pool is taken', () => {
    const texts = Array.from({ length: 20_000 }, (_, n) => `t${n % 7_000}`);
    assert.deepEqual(scan(JSON.stringify(texts)), texts);
    const fields = Object.fromEntries(texts.slice(0, 3_000).map((text) => [text, text]));
    assert.deepEqual(scan(JSON.stringify(fields)), fields);
  });

  it('takes the last of two fields with one name', () => {
    assert.deepEqual(scan('{"a":1,"a":2}'), { a: 2 });
    assert.deepEqual(scan('{"a":{"b":1},"a":2}', ['a.b']), {});
    assert.deepEqual(scan('{"a":2,"\\u0061":{"b":1}}', ['a.b']), { a: { b: 1 } });
  });

  it('reads fields with the names of the prototype as fields', () => {
    const found = scan('{"__proto__":{"a":1},"constructor":2}');
    assert.deepEqual(Object.getOwnPropertyNames(found), ['__proto__', 'constructor']);
    assert.equal(Object.getPrototypeOf(found), Object.prototype);
  });

  it('refuses to build what is nested too deep, and steps over it', () => {
    const deep = `${'['.repeat(5_000)}${']'.repeat(5_000)}`;
    assert.throws(() => scan(`{"a":${deep}}`), /expected 1000 levels/);
    assert.deepEqual(scan(`{"a":${deep},"b":1}`, ['b']), { b: 1 });
  });

  const broken = ['', '{', '{"a"', '{"a":', '{"a":1', '{"a":1,', '{"a":1,}', '{a:1}', '[1,]', '[1'];
  const odd = ['tru', 'nul', '+1', '01', '1.', '.5', '1e', '--1', 'NaN', '"', '"\\', '{}{}', '1 2'];
  for (const text of [...broken, ...odd, '{"a":"}', '{"a":["}']) {
    it(`refuses ${JSON.stringify(text)}`, () => {
      assert.throws(() => scan(text), SyntaxError);
    });
  }

  it('refuses a document that is cut off anywhere, also in what it leaves out', () => {
    const text = '{"a":[1,{"b":"}]\\""}],"metadata":{"name":"x"}}';
    assert.deepEqual(scan(text, []), { metadata: { name: 'x' } });
    for (let end = 0; end < text.length; end++) {
      assert.throws(() => scan(text.slice(0, end), []), SyntaxError, text.slice(0, end));
    }
  });
});
