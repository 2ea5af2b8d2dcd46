import assert from 'node:assert/strict';
import { it } from 'node:test';
import { limits } from './limits.ts';
import { assertSourceFiles } from './source-files.ts';

const bad = [
  '',
  '/etc/passwd',
  'C:/windows',
  '..',
  '../up.js',
  'a/../../up.js',
  './a.js',
  'a//b.js',
  'a/',
  'a\0b',
  'a\\b',
  `${'a'.repeat(300)}/b`,
  'a/'.repeat(400),
];

for (const path of bad) {
  it(`assertSourceFiles() refuses ${JSON.stringify(path.slice(0, 30))}`, () => {
    assert.throws(() => assertSourceFiles({ [path]: '' }), {
      code: 'InvalidFileName',
      file: path,
    });
  });
}

it('assertSourceFiles() refuses a file that is a directory, too', () => {
  assert.throws(() => assertSourceFiles({ lib: '', 'lib/a.js': '' }), { code: 'InvalidFileName' });
});

it('assertSourceFiles() takes names that only look odd', () => {
  assertSourceFiles({ '.env': '', '..a': '', 'a b/ü.js': '', '$(HOME)': '', '-rf': '' });
});

it('assertSourceFiles() bounds the number of files and their bytes', () => {
  const many = Array.from({ length: limits.sourceFilesMax + 1 }, (_, i) => [`${i}.js`, '']);
  assert.throws(() => assertSourceFiles(Object.fromEntries(many)), { code: 'TooLarge' });
  const large = 'ü'.repeat(limits.sourceBytesMax / 2 + 1);
  assert.throws(() => assertSourceFiles({ 'a.js': large }), { code: 'TooLarge' });
});
