import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { aliasedPaths, type PathAliases, readPathAliases } from './path-aliases.ts';

const directory = mkdtempSync(join(tmpdir(), 'path-aliases-'));
after(() => rmSync(directory, { recursive: true }));

function read(text: string): PathAliases {
  writeFileSync(join(directory, 'tsconfig.json'), text);
  return readPathAliases(directory);
}

test('readPathAliases() reads JSON as TypeScript writes it', () => {
  const aliases = read(`\ufeff{
    // Where "things" are /* not a comment's begin
    "compilerOptions": {
      "baseUrl": "./src", /* of all */
      "paths": { "@lib/*": ["lib/*", "other//*",], "http://x": ["./*/a,}"], },
    },
  }`);
  assert.deepEqual(aliases, {
    paths: [
      ['@lib/*', [join(directory, 'src/lib/*'), join(directory, 'src/other/*')]],
      ['http://x', [join(directory, 'src/*/a,}')]],
    ],
    baseDirectory: join(directory, 'src'),
  });
});

test('readPathAliases() takes what is no such file for none', () => {
  const none = { paths: [], baseDirectory: undefined };
  for (const text of ['', '{', '[]', 'null', '{"compilerOptions": 1}', '{"compilerOptions": {}}']) {
    assert.deepEqual(read(text), none, text);
  }
  assert.deepEqual(read('{"compilerOptions": {"paths": {"a": "b", "c": [1]}}}').paths, [
    ['a', []],
    ['c', []],
  ]);
  assert.deepEqual(readPathAliases(join(directory, 'nowhere')), none);
});

test('aliasedPaths() prefers a name to patterns, and the longest pattern', () => {
  const aliases = {
    paths: [
      ['*', ['/any/*']],
      ['@lib/*', ['/lib/*', '/more/*']],
      ['@lib/deep/*', ['/deep/*']],
      ['@lib/deep/one', ['/one.ts']],
      ['a-*-z', ['/az/$&*']],
    ],
    baseDirectory: '/base',
  } as const;
  assert.deepEqual(aliasedPaths('@lib/deep/one', aliases), ['/one.ts']);
  assert.deepEqual(aliasedPaths('@lib/deep/two', aliases), ['/deep/two']);
  assert.deepEqual(aliasedPaths('@lib/$&', aliases), ['/lib/$&', '/more/$&']);
  assert.deepEqual(aliasedPaths('a-b-z', aliases), ['/az/$&b']);
  assert.deepEqual(aliasedPaths('a-z', aliases), ['/any/a-z']);
  assert.deepEqual(aliasedPaths('x', { ...aliases, paths: [] }), ['/base/x']);
  assert.deepEqual(aliasedPaths('x', { paths: [], baseDirectory: undefined }), []);
});
