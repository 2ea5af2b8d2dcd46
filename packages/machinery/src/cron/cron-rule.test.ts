import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { parseCronRule } from './cron-rule.ts';

function problemOf(text: string): string | undefined {
  const parsed = parseCronRule(text);
  return parsed.kind === 'invalid' ? parsed.problem : undefined;
}

const atoi = (text: string): string =>
  `failed to parse int from ${text}: strconv.Atoi: parsing "${text}": invalid syntax`;

describe('parseCronRule()', () => {
  const good = [
    '* * * * *',
    ' 0  0 1 1 0 ',
    '*/15 9-17 * * mon-fri',
    '? * * jan *',
    '1,,2 * * * *',
    '+5 * * * *',
    '@daily',
    '@every 1h30m',
    '@every -1h',
  ];
  for (const text of good) test(`reads "${text}"`, () => assert.equal(problemOf(text), undefined));

  const bad: Readonly<Record<string, string>> = {
    '* * * *': 'expected exactly 5 fields, found 4: [* * * *]',
    '* * * * * *': 'expected exactly 5 fields, found 6: [* * * * * *]',
    '60 * * * *': 'end of range (60) above maximum (59): 60',
    '* 24 * * *': 'end of range (24) above maximum (23): 24',
    '* * 0 * *': 'beginning of range (0) below minimum (1): 0',
    '* * * * 7': 'end of range (7) above maximum (6): 7',
    '9-3 * * * *': 'beginning of range (9) beyond end of range (3): 9-3',
    '*/0 * * * *': 'step of range should be a positive number: */0',
    '1-2-3 * * * *': 'too many hyphens: 1-2-3',
    '1/2/3 * * * *': 'too many slashes: 1/2/3',
    '*/-1 * * * *': 'negative number (-1) not allowed: -1',
    '* * * FOO *': atoi('FOO'),
    '1-x * * * *': atoi('x'),
    '-5 * * * *': atoi(''),
    '*/x * * * *': atoi('x'),
    '@often': 'unrecognized descriptor: @often',
    '@daily ': 'unrecognized descriptor: @daily ',
    '@every x': 'failed to parse duration @every x: time: invalid duration "x"',
  };
  for (const [text, problem] of Object.entries(bad)) {
    test(`refuses "${text}"`, () => assert.equal(problemOf(text), problem));
  }

  test('reads a field for seconds where there may be one', () => {
    const read = (text: string): unknown => {
      const parsed = parseCronRule(text, { seconds: true });
      if (parsed.kind === 'invalid') return parsed.problem;
      return parsed.rule.kind === 'fields' ? [...parsed.rule.seconds] : parsed.rule;
    };
    assert.deepEqual(read('0,30 * * * * *'), [0, 30]);
    assert.deepEqual(read('* * * * *'), [0]);
    assert.deepEqual(read('@daily'), [0]);
    assert.equal(read('* * * *'), 'expected 5 or 6 fields, found 4: [* * * *]');
    assert.equal(read('60 * * * * *'), 'end of range (60) above maximum (59): 60');
  });

  test('counts `*` as no choice of a day, and every second day as one', () => {
    const isEither = (text: string): unknown => {
      const parsed = parseCronRule(text);
      return parsed.kind === 'valid' && parsed.rule.kind === 'fields' && parsed.rule.isEitherDay;
    };
    assert.equal(isEither('0 0 1 * MON'), true);
    assert.equal(isEither('0 0 */2 * MON'), true);
    assert.equal(isEither('0 0 * * MON'), false);
    assert.equal(isEither('0 0 */1 * MON'), false);
    assert.equal(isEither('0 0 1 * ?'), false);
  });

  test('takes any list of ranges within the bounds, and exactly their numbers', () => {
    const range = fc
      .tuple(fc.nat(59), fc.nat(59), fc.integer({ min: 1, max: 70 }))
      .map(([a, b, step]) => ({ from: Math.min(a, b), to: Math.max(a, b), step }));
    fc.assert(
      fc.property(fc.array(range, { minLength: 1, maxLength: 4 }), (ranges) => {
        const text = ranges.map(({ from, to, step }) => `${from}-${to}/${step}`).join(',');
        const parsed = parseCronRule(`${text} * * * *`);
        assert.ok(parsed.kind === 'valid' && parsed.rule.kind === 'fields');
        for (let minute = 0; minute < 60; minute++) {
          const isNamed = ranges.some(
            ({ from, to, step }) => minute >= from && minute <= to && (minute - from) % step === 0,
          );
          assert.equal(parsed.rule.minutes.has(minute), isNamed, `${text}: ${minute}`);
        }
      }),
    );
  });

  test('never throws', () => {
    const word = fc.string({
      unit: fc.constantFrom('*', '?', '-', '/', ',', '0', '7', 'x', ' ', '@'),
    });
    fc.assert(fc.property(word, (text) => void parseCronRule(text)));
  });
});
