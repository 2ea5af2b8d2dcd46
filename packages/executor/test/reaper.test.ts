import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readlinkSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { isJsonObject, silentLogger, systemClock } from '@fnlet/base';
import { startGroupWatcher } from '../src/group-watcher.ts';
import { createReaper } from '../src/reaper.ts';
import { createSocketDirectory } from '../src/socket-directory.ts';
import { isAlive, waitUntil } from './process-harness.ts';

function startSleeper(): ChildProcess & { readonly pid: number } {
  const child = spawn('/bin/sleep', ['1000'], { detached: true, stdio: 'ignore' });
  assert.ok(child.pid !== undefined);
  return Object.assign(child, { pid: child.pid });
}

/** Pids of the watchers that this process started. */
function watchers(): number[] {
  const table = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' });
  return table.split('\n').flatMap((row) => {
    const [pid, parent, ...args] = row.trim().split(/\s+/);
    const ours = Number(parent) === process.pid && args.join(' ').startsWith('/bin/sh -c');
    return ours ? [Number(pid)] : [];
  });
}

it('remove() kills the group, close() those that are left', async () => {
  const reaper = createReaper({ clock: systemClock, logger: silentLogger });
  const [first, second] = [startSleeper(), startSleeper()];
  reaper.add(first.pid);
  reaper.add(second.pid);
  reaper.remove(first.pid);
  assert.equal((await once(first, 'exit'))[1], 'SIGKILL');
  assert.ok(isAlive(second.pid));
  const ended = once(second, 'exit');
  await reaper.close();
  await ended;
});

it('the watcher kills the groups on its list when its input ends, and no others', async () => {
  const [removed, listed, last] = [startSleeper(), startSleeper(), startSleeper()];
  const watcher = startGroupWatcher();
  const { pid: gone } = removed;
  // Removing twice, or what was never there, changes nothing.
  const lines = [`add ${gone}`, `add ${listed.pid}`, `remove ${gone}`, `remove ${gone}`];
  watcher.stdin?.end(`${[...lines, 'remove 12', `add ${last.pid}`].join('\n')}\n`);
  await Promise.all([once(listed, 'exit'), once(last, 'exit'), once(watcher, 'exit')]);
  assert.ok(isAlive(gone));
  removed.kill('SIGKILL');
  await once(removed, 'exit');
});

it('a watcher that dies is replaced and knows the groups', async () => {
  await using reaper = createReaper({ clock: systemClock, logger: silentLogger });
  const sleeper = startSleeper();
  reaper.add(sleeper.pid);
  const [first] = watchers();
  // Never 0: that would be the group of this very process.
  assert.ok(first !== undefined);
  process.kill(first, 'SIGKILL');
  await waitUntil(() => watchers().some((pid) => pid !== first));
  assert.ok(isAlive(sleeper.pid));
});

it('nothing outlives kill -9 of the parent: not a busy loop, not a fork', async () => {
  const program = join(import.meta.dirname, 'orphan-parent.ts');
  const parent = spawn(process.execPath, [program], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [chunk] = await once(parent.stdout, 'data');
  const told: unknown = JSON.parse(String(chunk));
  assert.ok(isJsonObject(told) && Array.isArray(told.pids));
  const pids = told.pids.map(Number);
  assert.equal(pids.length, 4);
  assert.ok(pids.every(isAlive));
  parent.kill('SIGKILL');
  await waitUntil(() => !pids.some(isAlive));
  const stale = readlinkSync(join(String(told.directory), 'sockets'));
  assert.ok(existsSync(stale));
  createSocketDirectory(String(told.directory)).remove();
  assert.ok(!existsSync(stale), 'the next owner of the data directory removes it');
  rmSync(String(told.directory), { recursive: true, force: true });
});
