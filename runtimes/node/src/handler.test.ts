import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  findHandler,
  type Handler,
  type HandlerSearch,
  type HandlerSystem,
  type Namespace,
} from './handler.ts';

const web = (): string => 'web';
const event = (): string => 'event';

// The namespace that `import()` gives for a CommonJS module with these `module.exports`.
const commonjs = (exports: unknown): Namespace => ({ default: exports, 'module.exports': exports });

function kindOf(search: HandlerSearch): string {
  return search.kind === 'found' ? search.handler.style : search.message;
}

class Greeter {
  main(): string {
    return 'an instance';
  }
  static fetch(): string {
    return 'static';
  }
}
class Bare {}
const sites = { name: 'sites', for: { plural: 'sites' }, reconcile: event };
const keyword = {
  class(): string {
    return 'event';
  },
};

const found: readonly (readonly [string, Namespace, string, string])[] = [
  ['a default function', { default: web }, 'default', 'web'],
  ['a default function before main', { default: web, main: event }, 'default', 'web'],
  ['fetch of a default object', { default: { fetch: web } }, 'default', 'web'],
  ['fetch before main', { default: { fetch: web, main: event } }, 'default', 'web'],
  ['main', { main: event }, 'default', 'event'],
  ['main of a default object', { default: { main: event } }, 'default', 'event'],
  ['main beside a default that is no handler', { default: 1, main: event }, 'default', 'event'],
  ['module.exports = function', commonjs(web), 'default', 'web'],
  ['a member of module.exports', commonjs({ greet: event }), 'greet', 'event'],
  ['a member of a function', commonjs(Object.assign(web, { greet: event })), 'greet', 'event'],
  ['transpiled default', commonjs({ __esModule: true, default: web }), 'default', 'web'],
  ['exports.default = function', commonjs({ default: web }), 'default', 'web'],
  ['main beside exports.default', commonjs({ default: 1, main: event }), 'default', 'event'],
  ['default of a default object', { default: { default: web, main: event } }, 'default', 'event'],
  ['transpiled main', commonjs({ __esModule: true, main: event }), 'default', 'event'],
  ['an instance of a class', { default: new Greeter() }, 'default', 'event'],
  ['a static member of a class', { default: Greeter }, 'default', 'web'],
  ['a method called class', keyword, 'class', 'event'],
  ['a named export', { greet: event, main: event }, 'greet', 'event'],
  ['an operator', { default: sites, main: event }, 'default', 'operator'],
  ['an operator by its name', { default: web, sites }, 'sites', 'operator'],
  ['an operator in module.exports', commonjs(sites), 'default', 'operator'],
  ['an operator among the members of module.exports', commonjs({ sites }), 'sites', 'operator'],
  ['what only looks like one', { default: { ...sites, for: {}, main: event } }, 'default', 'event'],
  ['main by its name', { main: event, default: web }, 'main', 'event'],
];

for (const [name, exports, exportName, style] of found) {
  test(`findHandler() finds ${name}`, () => {
    assert.equal(kindOf(findHandler(exports, exportName)), style);
  });
}

const missing: readonly (readonly [string, Namespace, string, RegExp])[] = [
  ['an empty module', commonjs({}), 'default', /^found no exports, expected a default export/],
  ['an empty ES module', {}, 'default', /^found no exports/],
  ['an empty object', { default: {} }, 'default', /^found a default export of type object/],
  ['a promise', { default: Promise.resolve(web) }, 'default', /^found a default .* type object/],
  ['a class', { default: Bare }, 'default', /^found a default export that is a class .*new …/],
  ['module.exports = class', commonjs(Bare), 'default', /^found a default export that is a class/],
  ['a named class', { main: Bare }, 'main', /^found a class "main", expected a function/],
  ['a number', commonjs(7), 'default', /^found a default export of type number/],
  ['null', { default: null }, 'default', /^found a default export of type null/],
  ['other members', commonjs({ a: event, b: 1 }), 'default', /^found "a", "b", expected/],
  ['a member that is no function', { main: 1 }, 'main', /^found "main", expected a function/],
  ['inherited names', commonjs({ a: event }), 'hasOwn', /expected a function exported as "hasOwn"/],
];

for (const [name, exports, exportName, message] of missing) {
  test(`findHandler() says what it found instead: ${name}`, () => {
    assert.match(kindOf(findHandler(exports, exportName)), message);
  });
}

const kyma: HandlerSystem = { compatibility: 'kyma', runtime: 'nodejs24' };
const kyma26: HandlerSystem = { compatibility: 'kyma', runtime: 'nodejs26' };
const kubeless: HandlerSystem = { compatibility: 'kubeless', runtime: 'nodejs14' };

const ofSystems: readonly (readonly [
  string,
  HandlerSystem,
  Namespace,
  string,
  Handler['style'],
])[] = [
  ['main for default', kyma, { main: event, default: web }, 'default', 'kyma'],
  ['main by its name', kyma, commonjs({ main: event }), 'main', 'kyma'],
  ['main of a default object', kyma, { default: { main: event } }, 'main', 'kyma'],
  ['a module that is a function', kyma, commonjs(event), 'main', 'kyma'],
  [
    'parameters (req, res)',
    kyma,
    commonjs({ main: (req: 1, res: 1) => [req, res] }),
    'main',
    'request',
  ],
  ['nodejs26', kyma26, commonjs({ main: event }), 'main', 'request'],
  ['nodejs26 with (event)', kyma26, { main: (event: unknown) => event }, 'main', 'kyma'],
  ['a named function', kubeless, commonjs({ foo: event }), 'foo', 'kubeless'],
  ['a module that is a function', kubeless, commonjs(event), 'foo', 'kubeless'],
  [
    'a named export beside a default function',
    kubeless,
    { default: web, foo: event },
    'foo',
    'kubeless',
  ],
];

for (const [name, system, exports, exportName, style] of ofSystems) {
  test(`findHandler() for ${system.compatibility} finds ${name}`, () => {
    assert.equal(kindOf(findHandler(exports, exportName, system)), style);
  });
}

test('findHandler() for Kubeless prefers a module that is a function to its members', () => {
  const whole = Object.assign(() => 'whole', { foo: () => 'member' });
  const search = findHandler(commonjs(whole), 'foo', kubeless);
  assert.ok(search.kind === 'found' && search.handler.style !== 'operator');
  assert.equal(search.handler.call(), 'whole');
});

test('findHandler() for Kyma says what is missing', () => {
  assert.match(kindOf(findHandler(commonjs({ other: event }), 'main', kyma)), /^found "other"/);
});

test('findHandler() keeps the this of a method, and finds upgrade', () => {
  const owner = {
    word: 'hi',
    main(): string {
      return this.word;
    },
    upgrade(): string {
      return this.word;
    },
  };
  const search = findHandler(commonjs(owner), 'default');
  assert.ok(search.kind === 'found' && search.handler.style !== 'operator');
  assert.equal(search.handler.call(undefined, undefined), 'hi');
  assert.equal(search.handler.upgrade?.(), 'hi');
});

test('findHandler() takes no method that every object has', () => {
  assert.equal(findHandler(commonjs({}), 'toString').kind, 'missing');
  assert.equal(findHandler({ default: () => 1 }, 'call').kind, 'missing');
});
