import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findHandler, type HandlerSearch, type Namespace } from './handler.ts';

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
  ['transpiled main', commonjs({ __esModule: true, main: event }), 'default', 'event'],
  ['an instance of a class', { default: new Greeter() }, 'default', 'event'],
  ['a static member of a class', { default: Greeter }, 'default', 'web'],
  ['a method called class', keyword, 'class', 'event'],
  ['a named export', { greet: event, main: event }, 'greet', 'event'],
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
  assert.ok(search.kind === 'found');
  assert.equal(search.handler.call(undefined, undefined), 'hi');
  assert.equal(search.handler.upgrade?.(), 'hi');
});

test('findHandler() takes no method that every object has', () => {
  assert.equal(findHandler(commonjs({}), 'toString').kind, 'missing');
  assert.equal(findHandler({ default: () => 1 }, 'call').kind, 'missing');
});
