import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { compileRegex } from './regex.ts';

describe('compileRegex()', () => {
  const cases: readonly (readonly [pattern: string, matching: string[], other: string[]])[] = [
    ['^[a-z]+$', ['abc'], ['', 'aB', 'a b', 'abc\n']],
    ['b+', ['abc'], ['ac']],
    ['', ['', 'x'], []],
    ['^$', [''], ['a']],
    ['a$|^b', ['xa', 'bx'], ['xb', 'ax']],
    ['(?i)^héLLo$', ['HÉllo'], ['hello']],
    ['^(?i:a)b$', ['Ab'], ['AB']],
    ['^[^/]{2,3}$', ['ab', 'abc'], ['a', 'abcd', 'a/b']],
    ['^\\d{3}-\\w+\\s?$', ['123-a_b', '123-x '], ['12-a', '١٢٣-a']],
    ['^[[:alpha:]_-]+$', ['a-Z_'], ['a1']],
    ['^\\pL\\p{Greek}\\P{L}$', ['aα1'], ['1α1', 'aa1']],
    ['^\\x41\\x{1F600}\\.\\Qa.b\\E$', ['A😀.a.b'], ['A😀.axb']],
    ['\\bfoo\\b', ['a foo b', 'foo'], ['foox', '_foo']],
    ['(?m)^b$', ['a\nb\nc'], ['a\nbb']],
    ['(?s)^a.b$', ['a\nb'], ['ab']],
    ['^a.b$', ['a😀b'], ['a\nb']],
    ['^(?:a|ab)(?:c|bcd)$', ['abcd', 'ac'], ['abc'.repeat(2)]],

    ['^x{,3}$', ['x{,3}'], ['x']],
    ['^[]a]$', [']', 'a'], ['b']],
    ['^[a\\]-]+$', ['a]-'], ['b']],
  ];
  for (const [pattern, matching, other] of cases) {
    it(`matches what ${JSON.stringify(pattern)} means in RE2`, () => {
      const regex = compileRegex(pattern);
      for (const text of matching) assert.equal(regex.test(text), true, text);
      for (const text of other) assert.equal(regex.test(text), false, text);
    });
  }

  for (const [pattern, text] of [
    ['a**', 'invalid nested repetition operator: `**`'],
    ['*a', 'missing argument to repetition operator: `*`'],
    ['(a', 'missing closing ): `(a`'],
    ['a)', 'unexpected ): `a)`'],
    ['[a', 'missing closing ]: `[a`'],
    ['[b-a]', 'invalid character class range: `b-a`'],
    ['(?=a)', 'invalid or unsupported Perl syntax: `(?=`'],
    ['(a)\\1', 'invalid escape sequence: `\\1`'],
    ['a{1001}', 'invalid repeat count: `{1001}`'],
    ['\\', 'trailing backslash at end of expression: ``'],
    ['((a{100}){100}){100}', 'expression too large'],
    ['('.repeat(300), `expression nests too deeply: \`${'('.repeat(300)}\``],
  ] as const) {
    it(`refuses ${pattern.slice(0, 30)} in Go's words`, () => {
      const message = `error parsing regexp: ${text}`;
      assert.throws(() => compileRegex(pattern), { name: 'SyntaxError', message });
    });
  }

  it('matches() gives the leftmost matches, alternatives as written', () => {
    assert.deepEqual([...compileRegex('a|ab').matches('abab')], ['a', 'a']);
    assert.deepEqual([...compileRegex('a+?').matches('aaa')], ['a', 'a', 'a']);
    assert.deepEqual([...compileRegex('[0-9]+').matches('a12b3')], ['12', '3']);
    assert.deepEqual([...compileRegex('b*').matches('abb😀')], ['', 'bb', '']);
  });

  it('stays fast where backtracking would explode', () => {
    const regex = compileRegex('^(a+)+$');
    assert.equal(regex.test(`${'a'.repeat(50_000)}!`), false);
    assert.equal(compileRegex('(x+x+)+y').test('x'.repeat(20_000)), false);
  });

  // Patterns over a tiny alphabet on which RE2 and JavaScript agree.
  const atom = fc.constantFrom('a', 'b', '[ab]', '[^a]', '.', '\\w');
  const { pattern } = fc.letrec<{ pattern: string; part: string }>((tie) => ({
    part: fc.oneof(
      { maxDepth: 3 },
      atom,
      fc
        .tuple(tie('pattern'), fc.constantFrom('', '*', '+', '?', '{1,2}', '*?'))
        .map(([inner, repeat]) => `(?:${inner})${repeat}`),
      fc.constantFrom('^', '$', '\\b'),
    ),
    pattern: fc.oneof(
      { maxDepth: 3 },
      tie('part'),
      fc.tuple(tie('part'), tie('part')).map((parts) => parts.join('')),
      fc.tuple(tie('part'), tie('part')).map((parts) => parts.join('|')),
    ),
  }));

  it('agrees with JavaScript where the two mean the same', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c', ' '), maxLength: 6 });
    fc.assert(
      fc.property(pattern, text, (source, subject) => {
        const regex = compileRegex(source);
        assert.equal(regex.test(subject), new RegExp(source, 'u').test(subject));
      }),
      { numRuns: 500 },
    );
  });
});
