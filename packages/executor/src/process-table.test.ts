import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseProcessStat, readProcessTable, readResidentBytes } from './process-table.ts';

test('parseProcessStat() reads a line of proc_pid_stat(5), whatever the program is called', () => {
  const rest = 'S 7 40 40 0 -1 4194304 129 0 0 0 25 17 0 0 20 0 1 0 1258196 3133440 382';
  const entry = { pid: 42, parent: 7, group: 40, cpuMs: 420 };
  assert.deepEqual(parseProcessStat(`42 (node) ${rest}`), entry);
  assert.deepEqual(parseProcessStat(`42 (a) b (c) S 1 1) ${rest}`), entry);
});

test('parseProcessStat() knows nothing of a process that has ended meanwhile', () => {
  assert.equal(parseProcessStat(''), undefined);
  assert.equal(parseProcessStat('42 (node) Z 7 40 40 0 -1 4194304 1 0 0 0 25 17'), undefined);
});

const onLinux = { skip: process.platform === 'linux' ? false : 'there is no /proc here' };

test(
  'readProcessTable() finds this process, and readResidentBytes() its memory',
  onLinux,
  async () => {
    const own = (await readProcessTable()).find(({ pid }) => pid === process.pid);
    assert.equal(own?.parent, process.ppid);
    assert.ok((own?.cpuMs ?? 0) > 0);
    const bytes = await readResidentBytes(process.pid);
    assert.ok(bytes > 10_000_000 && bytes < 2 * process.memoryUsage.rss(), `${bytes} bytes`);
    assert.equal(await readResidentBytes(0), 0);
  },
);
