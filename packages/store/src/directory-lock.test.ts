import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execPath, pid } from 'node:process';
import { after, describe, it } from 'node:test';
import { hasCode } from '@fnlet/base';
import { lockDirectory } from './directory-lock.ts';
import { isAlive, thisProcess } from './process-identity.ts';

const root = await mkdtemp(join(tmpdir(), 'fnlet-lock-'));
after(() => rm(root, { recursive: true }));
const newDirectory = (): Promise<string> => mkdtemp(join(root, 'lock-'));

async function deadPid(): Promise<number> {
  const child = spawn(execPath, ['--version'], { stdio: 'ignore' });
  await once(child, 'exit');
  assert.ok(child.pid !== undefined);
  return child.pid;
}

async function startedAt(of: number): Promise<string> {
  const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8');
  const stat = await readFile(`/proc/${of}/stat`, 'utf8');
  return `${boot.trim()}/${stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]}`;
}

describe('lockDirectory()', () => {
  it('refuses while the holder lives, and names it', async () => {
    const directory = await newDirectory();
    const lock = await lockDirectory(directory);
    await assert.rejects(lockDirectory(directory), { code: 'Locked', pid });
    await lock.release();
    await (await lockDirectory(directory)).release();
  });

  it('takes over from a dead process', async () => {
    const directory = await newDirectory();
    const holder = { pid: await deadPid(), startedAt: 'boot/1' };
    await writeFile(join(directory, 'owner.7'), JSON.stringify(holder));
    await lockDirectory(directory);
    assert.deepEqual(await readdir(directory), ['owner.8']);
  });

  it('takes over when the pid of the dead process belongs to another one now', async (t) => {
    const self = await thisProcess();
    if (self.startedAt === undefined) return t.skip('this system does not tell start times');
    const directory = await newDirectory();
    const holder = { pid, startedAt: `${self.startedAt}0` };
    await writeFile(join(directory, 'owner.1'), JSON.stringify(holder));
    await lockDirectory(directory);
  });

  it('lets exactly one of many win, also over a stale lock', async () => {
    for (let round = 0; round < 20; round++) {
      const directory = await newDirectory();
      if (round % 2 === 0) {
        await writeFile(join(directory, 'owner.3'), '');
      }
      const results = await Promise.allSettled(
        Array.from({ length: 8 }, () => lockDirectory(directory)),
      );
      assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1);
      assert.equal((await readdir(directory)).length, 1);
    }
  });

  it('never lets two in, however often it is taken and released', async () => {
    const directory = await newDirectory();
    let inside = 0;
    let turns = 0;
    const contend = async (): Promise<void> => {
      while (turns < 100) {
        try {
          const lock = await lockDirectory(directory);
          inside += 1;
          turns += 1;
          assert.equal(inside, 1);
          await new Promise(setImmediate);
          inside -= 1;
          await lock.release();
        } catch (error) {
          if (!hasCode(error, 'Locked')) throw error;
        }
      }
    };
    await Promise.all(Array.from({ length: 6 }, contend));
  });

  it('takes over a claim that nobody can read', async () => {
    for (const text of ['{}', '[]', '{"pid":', '\0\0']) {
      const directory = await newDirectory();
      await writeFile(join(directory, 'owner.2'), text);
      await lockDirectory(directory);
    }
  });
});

describe('isAlive()', () => {
  it('takes a zombie, killed but not waited for, as dead', async (t) => {
    const self = await thisProcess();
    if (self.startedAt === undefined) return t.skip('this system has no /proc');
    // The shell becomes a program that waits for nobody.
    const script = 'sleep 60 & echo $!; exec sleep 60';
    const parent = spawn('/bin/sh', ['-c', script], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    t.after(() => parent.kill('SIGKILL'));
    const [line] = await once(parent.stdout, 'data');
    const zombie = { pid: Number(line), startedAt: await startedAt(Number(line)) };
    assert.equal(await isAlive(zombie), true);
    process.kill(zombie.pid, 'SIGKILL');
    for (;;) if (!(await isAlive(zombie))) return;
  });

  it('knows this process, without its start time as well', async () => {
    const self = await thisProcess();
    assert.equal(await isAlive(self), true);
    assert.equal(await isAlive({ ...self, startedAt: undefined }), true);
    assert.equal(
      await isAlive({ ...self, startedAt: 'another boot/1' }),
      self.startedAt === undefined,
    );
  });
});
