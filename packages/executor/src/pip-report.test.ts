import assert from 'node:assert/strict';
import { it } from 'node:test';
import { formatPipLock } from './pip-report.ts';

const sha256 = 'ab'.repeat(32);

function entry(name: string, archive: unknown = { hashes: { sha256 } }): unknown {
  const url = `https://files.example/${name}-1.0-py3-none-any.whl`;
  return { metadata: { name, version: '1.0' }, download_info: { url, archive_info: archive } };
}

it('formatPipLock() names each file with its hash, in order', () => {
  assert.equal(
    formatPipLock({ version: '1', install: [entry('words'), entry('greeting')] }),
    `greeting @ https://files.example/greeting-1.0-py3-none-any.whl --hash=sha256:${sha256}\n` +
      `words @ https://files.example/words-1.0-py3-none-any.whl --hash=sha256:${sha256}\n`,
  );
});

it('formatPipLock() refuses what cannot be locked', () => {
  for (const report of [
    undefined,
    {},
    { install: [{}] },
    { install: [entry('a', {})] },
    { install: [entry('a', { hashes: { md5: 'x' } })] },
    { install: [entry('a b')] },
  ]) {
    assert.throws(() => formatPipLock(report), { code: 'InstallFailed' });
  }
});
