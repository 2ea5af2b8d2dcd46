import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readPath } from './path-reading.ts';

for (const [path, expected] of [
  ['/', 'plain'],
  ['/a/b.c/..d/e..', 'plain'],
  ['/a%20b/%C3%A4', 'plain'],
  ['/a/%zz', 'plain'],
  ['/.', 'dots /'],
  ['/..', 'dots /'],
  ['/a/../b', 'dots /b'],
  ['/a/b/./c/../../d/', 'dots /a/d/'],
  ['/a/../../../b', 'dots /b'],
  ['/a/%2E%2e', 'dots /'],
  ['/a/.%2e/b', 'dots /b'],
  ['/a\\..\\b', 'dots /b'],
  ['/a%2f.%2Fb', 'dots /a/b'],
  ['/a%00/b', 'dots /a'],
  ['//a', 'slashes /a'],
  ['/a///b//', 'slashes /a/b/'],
  ['/a%2Fb%5cc\\d', 'slashes /a/b/c/d'],
] as const) {
  test(`readPath() finds how else ${path} may be read`, () => {
    const reading = readPath(path);
    assert.equal(Object.values(reading).join(' '), expected);
  });
}
