import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { partitionKeyText } from './partition-key.ts';

test('partitionKeyText() writes a key as an attribute can have it, and two keys never alike', () => {
  assert.equal(partitionKeyText(Buffer.from('müller 7')), 'müller 7');
  assert.equal(partitionKeyText(Buffer.from('a\nb')), Buffer.from('a\nb').toString('base64'));
  assert.equal(partitionKeyText(Buffer.from([0xff, 0xfe])), '//4=');
  const longest = Buffer.alloc(1_024, 'k');
  assert.equal(partitionKeyText(longest), longest.toString());
  const longer = Buffer.alloc(1_025, 'k');
  const digest = createHash('sha256').update(longer).digest('hex');
  assert.equal(partitionKeyText(longer), digest);
});
