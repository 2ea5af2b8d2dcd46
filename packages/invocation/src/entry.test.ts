import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decideEntry, type Entry, type EntryQuestion, splitHandler } from './entry.ts';

const table: readonly (readonly [string, EntryQuestion, Entry])[] = [
  [
    'prefers handler over index over main',
    { files: ['main.js', 'index.js', 'handler.js'], handler: 'default' },
    { kind: 'found', file: 'handler.js', exportName: 'default' },
  ],
  [
    'prefers TypeScript over JavaScript of the same name',
    { files: ['index.js', 'index.ts'], handler: 'main' },
    { kind: 'found', file: 'index.ts', exportName: 'main' },
  ],
  [
    'follows package.json main',
    { files: ['index.js', 'lib/a.js'], handler: 'default', packageJson: { main: './lib/a.js' } },
    { kind: 'found', file: 'lib/a.js', exportName: 'default' },
  ],
  [
    'follows package.json main without an extension',
    { files: ['index.js', 'lib/a.ts'], handler: 'default', packageJson: { main: 'lib/a' } },
    { kind: 'found', file: 'lib/a.ts', exportName: 'default' },
  ],
  [
    'follows package.json main into a directory',
    { files: ['a.js', 'b.js', 'lib/index.ts'], handler: 'default', packageJson: { main: 'lib/' } },
    { kind: 'found', file: 'lib/index.ts', exportName: 'default' },
  ],
  [
    'follows package.json exports before main',
    {
      files: ['a.js', 'b.js'],
      handler: 'default',
      packageJson: { main: 'a.js', exports: { '.': { import: './b.js' } } },
    },
    { kind: 'found', file: 'b.js', exportName: 'default' },
  ],
  [
    'takes exports as one path',
    { files: ['a.js', 'b.js'], handler: 'default', packageJson: { exports: './b.js' } },
    { kind: 'found', file: 'b.js', exportName: 'default' },
  ],
  [
    'ignores a package.json that names a file that is not there',
    { files: ['index.js'], handler: 'default', packageJson: { main: 'dist/index.js' } },
    { kind: 'found', file: 'index.js', exportName: 'default' },
  ],
  [
    'ignores a package.json that is none',
    { files: ['index.js'], handler: 'default', packageJson: ['main'] },
    { kind: 'found', file: 'index.js', exportName: 'default' },
  ],
  [
    'takes the module from the handler before anything else',
    {
      files: ['handler.js', 'src/api.ts'],
      handler: 'src/api.get',
      packageJson: { main: 'handler.js' },
    },
    { kind: 'found', file: 'src/api.ts', exportName: 'get' },
  ],
  [
    'takes a module with dots in its name',
    { files: ['api.v1.js', 'other.js'], handler: 'api.v1.get' },
    { kind: 'found', file: 'api.v1.js', exportName: 'get' },
  ],
  [
    'takes the only code file, whatever its name',
    { files: ['hello.ts', 'hello.d.ts', 'README.md', 'package.json', 'lib/x.js'], handler: 'main' },
    { kind: 'found', file: 'hello.ts', exportName: 'main' },
  ],
  [
    'takes the only code file for a module of another name',
    { files: ['handler.js'], handler: 'hello.foo' },
    { kind: 'found', file: 'handler.js', exportName: 'foo' },
  ],
];

for (const [name, question, expected] of table) {
  test(`decideEntry() ${name}`, () => assert.deepEqual(decideEntry(question), expected));
}

test('decideEntry() says what was there and what it looked for', () => {
  const files = ['b.js', 'a.js'];
  const byConvention = decideEntry({ files, handler: 'default' });
  assert.ok(byConvention.kind === 'notFound');
  assert.equal(
    byConvention.message,
    'Cannot find the entry of handler "default": found a.js, b.js, expected one of handler, index, ' +
      'main with an extension of .ts, .mts, .cts, .js, .mjs, .cjs or "main" in package.json',
  );
  const byModule = decideEntry({ files, handler: 'api.get' });
  assert.ok(byModule.kind === 'notFound' && byModule.message.includes('expected api with an ext'));
  const empty = decideEntry({ files: [], handler: 'default' });
  assert.ok(empty.kind === 'notFound' && empty.message.includes('found no files'));
  const many = Array.from({ length: 30 }, (_, i) => `file-${i}.js`);
  const listed = decideEntry({ files: many, handler: 'default' });
  assert.ok(listed.kind === 'notFound' && listed.message.includes(' and 20 more, expected'));
});

test('splitHandler() cuts at the last dot', () => {
  assert.deepEqual(splitHandler('default'), { module: undefined, exportName: 'default' });
  assert.deepEqual(splitHandler('a/b.c'), { module: 'a/b', exportName: 'c' });
  assert.deepEqual(splitHandler('a.b.c'), { module: 'a.b', exportName: 'c' });
  assert.deepEqual(splitHandler('.c'), { module: undefined, exportName: '.c' });
});
