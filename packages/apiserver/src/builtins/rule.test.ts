import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isJsonObject } from '@fnlet/base';
import fc from 'fast-check';
import * as form from './form.ts';
import { labelSelector, podSelector, selects, shownSelector } from './label-selector-rule.ts';
import {
  all,
  atLeast,
  atMostItems,
  between,
  each,
  entriesOf,
  fields,
  must,
  oneOf,
  type Rule,
  required,
  uniqueBy,
  whenSet,
} from './rule.ts';

/** What a rule says about a value, as kubectl prints it. */
function said(rule: Rule, value: unknown, path = 'a'): readonly string[] {
  return rule(value, path).map(({ field, message }) => `${field}: ${message}`);
}

const rules: readonly (readonly [name: string, Rule, value: unknown, said: readonly string[]])[] = [
  ['required() accepts what is there', required(), 'x', []],
  ['required() accepts zero', required(), 0, []],
  ['required() refuses nothing', required(), undefined, ['a: Required value']],
  ['required() refuses the empty text', required(), '', ['a: Required value']],
  ['required() refuses the empty list', required(), [], ['a: Required value']],
  ['required() says why', required(undefined, 'why'), null, ['a: Required value: why']],
  ['oneOf() accepts a known text', oneOf('x', 'y'), 'y', []],
  ['oneOf() accepts nothing', oneOf('x'), '', []],
  [
    'oneOf() names what it knows',
    oneOf('x', 'y'),
    'z',
    ['a: Unsupported value: "z": supported values: "x", "y"'],
  ],
  [
    'atLeast() tells the bound',
    atLeast(0),
    -1,
    ['a: Invalid value: -1: must be greater than or equal to 0'],
  ],
  [
    'between() tells both bounds',
    between(1, 9),
    10,
    ['a: Invalid value: 10: must be between 1 and 9, inclusive'],
  ],
  ['atMostItems() counts', atMostItems(1), [1, 2], ['a: Too many: 2: must have at most 1 items']],
  ['each() tells the index', each(required()), ['x', ''], ['a[1]: Required value']],
  [
    'entriesOf() tells the key',
    entriesOf(must((key) => key !== 'b', 'no')),
    { b: 1 },
    ['a[b]: Invalid value: "b": no'],
  ],
  [
    'uniqueBy() tells the second',
    uniqueBy('n'),
    [{ n: 'x' }, { n: 'y' }, { n: 'x' }],
    ['a[2].n: Duplicate value: "x"'],
  ],
  [
    'fields() looks into what is not there',
    fields({ b: required() }),
    undefined,
    ['a.b: Required value'],
  ],
  ['whenSet() does not', whenSet(fields({ b: required() })), undefined, []],
  [
    'all() says everything',
    all(atLeast(1), atLeast(2)),
    0,
    [
      'a: Invalid value: 0: must be greater than or equal to 1',
      'a: Invalid value: 0: must be greater than or equal to 2',
    ],
  ],
];

for (const [name, rule, value, expected] of rules) {
  test(name, () => assert.deepEqual(said(rule, value), expected));
}

test('fields() at the root has no parent in its paths', () => {
  assert.deepEqual(said(fields({ b: required() }), {}, ''), ['b: Required value']);
});

const forms: readonly (readonly [
  Rule,
  good: readonly unknown[],
  bad: Readonly<Record<string, string>>,
])[] = [
  [
    form.portName,
    ['http', 'a-1', '8080-tcp'],
    {
      'a-name-that-is-too-long': 'must be no more than 15 characters',
      '8080': 'must contain at least one letter (a-z)',
      'a--b': 'must not contain consecutive hyphens',
      '-a': 'must not begin or end with a hyphen',
    },
  ],
  [
    form.countOrPercent,
    [0, 5, '0%', '150%'],
    {
      half:
        "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or " +
        "'93%', regex used for validation is '[0-9]+%')",
    },
  ],
  [form.atMostAll, [3, '100%'], { '101%': 'must not be greater than 100%' }],
  [
    form.variableName,
    ['A', 'a.b-c', '1 bad'],
    {
      'a=b':
        "a valid environment variable name must consist only of printable ASCII characters other than '='",
    },
  ],
  [
    form.ipAddress,
    ['10.0.0.1', '::1'],
    { '10.0.0': 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)' },
  ],
  [
    form.network,
    ['10.0.0.0/8', '2001:db8::/32'],
    { '10.0.0.0': 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)' },
  ],
  [form.positiveQuantity, ['1', '1Gi', 3], { '0': 'must be greater than zero' }],
  [
    form.dataKey,
    ['a', 'A_b.c-d', '.hidden'],
    { '..': "must not be '..'", '..a': "must not start with '..'" },
  ],
];

test('the forms accept what is good and say what is bad', () => {
  for (const [rule, good, bad] of forms) {
    for (const value of good) assert.deepEqual(said(rule, value), []);
    for (const [value, problem] of Object.entries(bad)) {
      assert.deepEqual(said(rule, value), [
        `a: Invalid value: ${JSON.stringify(value)}: ${problem}`,
      ]);
    }
  }
});

const nameForm =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with " +
  "an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for " +
  "validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

test('a label selector says what is wrong with its expressions', () => {
  const matchExpressions = [
    { key: 'a', operator: 'In' },
    { key: 'b', operator: 'Exists', values: ['x'] },
    { key: 'c', operator: 'Like', values: ['x'] },
    { key: '', operator: 'Exists' },
  ];
  assert.deepEqual(said(labelSelector, { matchExpressions }), [
    "a.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
    'a.matchExpressions[1].values: Forbidden: may not be specified when `operator` is ' +
      "'Exists' or 'DoesNotExist'",
    'a.matchExpressions[2].operator: Invalid value: "Like": not a valid selector operator',
    'a.matchExpressions[3].key: Invalid value: "": name part must be non-empty',
    `a.matchExpressions[3].key: Invalid value: "": ${nameForm}`,
  ]);
});

test('a selector of Pods must select something', () => {
  const rule = podSelector('deployment');
  assert.deepEqual(said(rule, undefined), ['a: Required value']);
  assert.deepEqual(said(rule, {}), [
    'a: Invalid value: {}: empty selector is invalid for deployment',
  ]);
  assert.deepEqual(said(rule, { matchLabels: { app: 'web' } }), []);
});

test('selectors select, and are shown as kubectl shows them', () => {
  const selector = {
    matchLabels: { a: 'b' },
    matchExpressions: [{ key: 'c', operator: 'Exists' }],
  };
  assert.equal(selects(selector, { a: 'b', c: '' }), true);
  assert.equal(selects(selector, { a: 'b' }), false);
  assert.equal(selects(undefined, {}), false);
  assert.equal(shownSelector(selector), 'a=b,c');
  assert.equal(shownSelector({}), '<none>');
  assert.equal(shownSelector({ matchExpressions: [{ key: 'c', operator: 'Like' }] }), '<error>');
});

test('rules never throw, whatever the value', () => {
  const rule = fields({ b: required(each(all(form.port, form.labels, form.quantity))) });
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const errors = all(rule, labelSelector)(value, 'a');
      assert.ok(errors.every((error) => isJsonObject(error) && error.field.startsWith('a')));
    }),
  );
});
