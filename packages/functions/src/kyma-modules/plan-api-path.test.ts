import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planApiPath } from './plan-api-path.ts';

const paths: readonly [string, object | undefined][] = [
  ['/*', { prefix: '/' }],
  ['/{**}', { prefix: '/' }],
  ['/', { exact: '/' }],
  ['/abc/d', { exact: '/abc/d' }],
  ['/a/{*}', { pattern: '/a/{p2}' }],
  ['/{*}/b/{*}/{**}', { pattern: '/{p1}/b/{p3}/{rest...}' }],
  ['/a/{**}', { pattern: '/a/{rest...}' }],
  ['/a/{**}/b', undefined],
  ['/a*', undefined],
  ['abc', undefined],
  ['', undefined],
];
for (const [path, expected] of paths) {
  test(`planApiPath() of ${path} in v2`, () =>
    assert.deepEqual(planApiPath(path, false), expected));
}

const expressions: readonly [string, object | undefined][] = [
  ['/.*', { prefix: '/' }],
  ['/*', { prefix: '/' }],
  ['/headers', { exact: '/headers' }],
  ['/img/.*', { pattern: '/img/{rest...}' }],
  ['/img(.*)', undefined],
  ['/a/.*/b', undefined],
];
for (const [path, expected] of expressions) {
  test(`planApiPath() of ${path} in v1beta1`, () =>
    assert.deepEqual(planApiPath(path, true), expected));
}
