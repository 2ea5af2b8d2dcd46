import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { hasCode } from '@fnlet/base';
import fc from 'fast-check';
import {
  formatLabelSelector,
  type LabelOperator,
  labelSelectorFromSpec,
  matchesLabels,
  parseLabelSelector,
} from './label-selector.ts';

const web = { app: 'web', tier: 'front', 'example.com/rank': '7' };

describe('matchesLabels()', () => {
  const cases: readonly [selector: string, labels: Record<string, string>, matches: boolean][] = [
    ['', web, true],
    ['app=web', web, true],
    ['app==web,tier=front', web, true],
    ['app=web,tier=back', web, false],
    ['app!=db', web, true],
    ['zone!=a', web, true],
    ['app in (web, db)', web, true],
    ['app in (db)', web, false],
    ['zone in (a)', web, false],
    ['app notin (db)', web, true],
    ['zone notin (a)', web, true],
    ['app notin (web)', web, false],
    ['app', web, true],
    ['zone', web, false],
    ['!zone', web, true],
    ['!app', web, false],
    ['example.com/rank>6', web, true],
    ['example.com/rank<7', web, false],
    ['app>1', web, false],
    ['zone<1', web, false],
    ['zone=', {}, false],
    ['zone=', { zone: '' }, true],
    ['zone in (,a)', { zone: '' }, true],
    ['in in (in)', { in: 'in' }, true],
    ['constructor', {}, false],
  ];
  for (const [selector, labels, matches] of cases) {
    test(`"${selector}" ${matches ? 'selects' : 'does not select'} ${JSON.stringify(labels)}`, () => {
      assert.equal(matchesLabels(parseLabelSelector(selector), labels), matches);
    });
  }

  test('takes an object without labels for one with none', () => {
    assert.equal(matchesLabels(parseLabelSelector('!app'), undefined), true);
    assert.equal(matchesLabels(parseLabelSelector('app'), undefined), false);
  });
});

describe('parseLabelSelector() refuses', () => {
  const cases: readonly [selector: string, message: string | RegExp][] = [
    ['app in a', "unable to parse requirement: found 'a' expected: '('"],
    ['app in (a', "unable to parse requirement: found '', expected: ',' or ')'"],
    ['app in (a b)', "unable to parse requirement: found 'b', expected: ',' or ')'"],
    ['a b=c', "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
    ['n=1,', "found '', expected: identifier after ','"],
    ['=', "found '=', expected: !, identifier, or 'end of string'"],
    ['!a=b', "found '=', expected: ',' or 'end of string'"],
    ['a=(', "unable to parse requirement: found '(', expected: identifier"],
    ['n>abc', /for 'Gt', 'Lt' operators, the value must be an integer$/],
    [
      'a=$$',
      /^unable to parse requirement: values\[0\]\[a\]: Invalid value: "\$\$": a valid label/,
    ],
    ['a/b/c=1', /^unable to parse requirement: <nil>: Invalid value: "a\/b\/c": a valid label key/],
  ];
  for (const [selector, message] of cases) {
    test(`"${selector}" in Kubernetes' words`, () => {
      assert.throws(() => parseLabelSelector(selector), { code: 'InvalidSelector', message });
    });
  }
});

describe('labelSelectorFromSpec()', () => {
  test('reads labels and expressions', () => {
    const selector = labelSelectorFromSpec({
      matchLabels: { app: 'web' },
      matchExpressions: [
        { key: 'tier', operator: 'In', values: ['b', 'a'] },
        { key: 'old', operator: 'DoesNotExist' },
      ],
    });
    assert.equal(formatLabelSelector(selector), 'app=web,!old,tier in (a,b)');
  });

  test('selects everything when it is empty', () => {
    assert.equal(matchesLabels(labelSelectorFromSpec({}), undefined), true);
  });

  test('refuses unknown operators and values where none belong', () => {
    for (const expression of [
      { key: 'a', operator: 'Matches', values: ['b'] },
      { key: 'a', operator: 'Exists', values: ['b'] },
      { key: 'a', operator: 'In', values: [] },
    ]) {
      assert.throws(
        () => labelSelectorFromSpec({ matchExpressions: [expression] }),
        (error) => hasCode(error, 'InvalidSelector'),
      );
    }
  });
});

test('formatLabelSelector() writes what parseLabelSelector() reads', () => {
  const name = fc.stringMatching(/^[a-z]([a-z.-]{0,5}[a-z])?$/);
  const requirement = fc
    .record({
      key: name,
      operator: fc.constantFrom<LabelOperator>('=', '!=', 'in', 'notin', 'exists', '!'),
      values: fc.array(fc.oneof(name, fc.constant('')), { minLength: 1, maxLength: 3 }),
    })
    .map(({ key, operator, values }) => {
      if (operator === 'exists') return key;
      if (operator === '!') return `!${key}`;
      if (operator === '=' || operator === '!=') return `${key}${operator}${values[0]}`;
      return `${key} ${operator} (${values.join(',')},)`;
    });
  fc.assert(
    fc.property(fc.array(requirement, { maxLength: 4 }), (requirements) => {
      const selector = parseLabelSelector(requirements.join(','));
      assert.deepEqual(parseLabelSelector(formatLabelSelector(selector)), selector);
    }),
  );
});
