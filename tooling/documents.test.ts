import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkDocuments } from './documents.ts';

function messages(documents: Readonly<Record<string, string>>): string[] {
  const files = Object.entries(documents).map(([path, text]) => ({ path, text }));
  const paths = new Set([...Object.keys(documents), 'test/crash.test.ts']);
  return checkDocuments(files, paths).map(({ message }) => message);
}

test('checkDocuments() allows records that are counted, and links to what is there', () => {
  const found = messages({
    'README.md': '[a](docs/a.md#words) [b](test) [c](https://example.com/none) [d](#here)\n',
    'docs/a.md': '[up](../README.md)\n',
    'decisions/001-house.md': '# 001 The house\n',
    'decisions/002-timeout.md': '# 002 Timeouts\n',
  });
  assert.deepEqual(found, []);
});

test('checkDocuments() refuses two records with one number', () => {
  const found = messages({
    'decisions/001-access.md': '# 001 Access\n',
    'decisions/001-house.md': '# 001 The house\n',
  });
  assert.deepEqual(found, ['001-house.md is numbered 001, expected 002']);
});

test('checkDocuments() refuses a record whose title has another number', () => {
  const found = messages({ 'decisions/001-house.md': '# 002 The house\n' });
  assert.deepEqual(found, ['001-house.md expected the title "# 001 …"']);
});

test('checkDocuments() refuses a link that leads nowhere', () => {
  const found = messages({ 'docs/a.md': '\n[b](b.md)\n' });
  assert.deepEqual(found, ['the link to "b.md" is broken']);
});
