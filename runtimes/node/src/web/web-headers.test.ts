import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { WebHeaders } from './web-headers.ts';

const name = fc.constantFrom('a', 'A', 'b-c', 'Set-Cookie', 'set-cookie', 'x y', '', 'ü', 'accept');
const value = fc.oneof(
  fc.constantFrom('', ' a ', 'a, b', 'a\tb', 'a\nb', 'ü', '€', '\0', '\r\n x'),
  fc.string({ maxLength: 5 }),
);
const step = fc.oneof(
  fc.tuple(fc.constant('append' as const), name, value),
  fc.tuple(fc.constant('set' as const), name, value),
  fc.tuple(fc.constant('delete' as const), name),
  fc.tuple(fc.constant('get' as const), name),
  fc.tuple(fc.constant('has' as const), name),
);

// What either class does, errors by their type.
function outcome(act: () => unknown): unknown {
  try {
    return act() ?? null;
  } catch (error) {
    return error instanceof Error ? error.constructor.name : error;
  }
}

function apply(headers: Headers | WebHeaders, [verb, key, item]: readonly string[]): unknown {
  return outcome(() => Reflect.apply(Reflect.get(headers, verb ?? ''), headers, [key, item]));
}

test("WebHeaders behaves as the platform's Headers do", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
      const ours = new WebHeaders();
      const theirs = new Headers();
      for (const one of steps) assert.deepEqual(apply(ours, one), apply(theirs, one), one.join());
      assert.deepEqual([...ours], [...theirs]);
      assert.deepEqual([...ours.keys()], [...theirs.keys()]);
      assert.deepEqual([...ours.values()], [...theirs.values()]);
      assert.deepEqual(ours.getSetCookie(), theirs.getSetCookie());
    }),
  );
});

const inits: readonly unknown[] = [
  undefined,
  {},
  { A: '1', b: 2 },
  [
    ['a', '1'],
    ['A', '2'],
  ],
  new Map([['a', '1']]),
  new URLSearchParams('a=1&a=2'),
  new Headers({ a: '1' }),
  new WebHeaders({ a: '1' }),
  [['a']],
  [['a', 'b', 'c']],
  ['ab'],
  { 'a b': '1' },
  { a: 'x\ny' },
  null,
  'a: 1',
  42,
];

for (const init of inits) {
  test(`new Headers(${JSON.stringify(init)}) gives the same from both`, () => {
    const native = init instanceof WebHeaders ? [...init] : init;
    assert.deepEqual(
      outcome(() => [...new WebHeaders(init)]),
      outcome(() => [...Reflect.construct(Headers, [native])]),
    );
  });
}

test('fromRaw() joins what came in several times and keeps cookies apart', () => {
  const headers = WebHeaders.fromRaw([
    'A',
    '1',
    'Set-Cookie',
    'x=1',
    'a',
    '2',
    'Set-Cookie',
    'y=2',
  ]);
  assert.deepEqual(Object.fromEntries(headers), { a: '1, 2', 'set-cookie': 'y=2' });
  assert.deepEqual(headers.toOutgoing(), { a: '1, 2', 'set-cookie': ['x=1', 'y=2'] });
});

test('a header of any name is just a header', () => {
  const headers = new WebHeaders([
    ['__proto__', 'x'],
    ['constructor', 'y'],
  ]);
  assert.deepEqual(
    [...headers],
    [
      ['__proto__', 'x'],
      ['constructor', 'y'],
    ],
  );
  assert.equal(new WebHeaders().get('constructor'), null);
});
