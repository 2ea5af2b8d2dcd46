import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatDocument } from './output.ts';

test('formatDocument() quotes what is no text for kubectl, which reads YAML 1.1', async () => {
  const texts = { a: 'off', b: 'yes', c: '12:30', d: 'plain' };
  assert.equal(await formatDocument('yaml', texts), 'a: "off"\nb: "yes"\nc: "12:30"\nd: plain\n');
});
