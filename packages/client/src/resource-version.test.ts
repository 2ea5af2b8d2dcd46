import assert from 'node:assert/strict';
import { it } from 'node:test';
import { isOlderVersion } from './resource-version.ts';

it('isOlderVersion() compares decimals of any size', () => {
  assert.equal(isOlderVersion('9', '10'), true);
  assert.equal(isOlderVersion('10', '9'), false);
  assert.equal(isOlderVersion('12', '13'), true);
  assert.equal(isOlderVersion('13', '13'), false);
  assert.equal(isOlderVersion('9007199254740993', '9007199254740994'), true);
  assert.equal(isOlderVersion('99999999999999999999', '100000000000000000000'), true);
});

it('isOlderVersion() calls nothing older that is not a decimal', () => {
  for (const other of [undefined, '', '01', '-1', '1.0', 'abc']) {
    assert.equal(isOlderVersion(other, '5'), false);
    assert.equal(isOlderVersion('5', other), false);
  }
});
