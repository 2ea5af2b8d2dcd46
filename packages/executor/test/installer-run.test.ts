import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { silentLogger, systemClock, VirtualClock } from '@fnlet/base';
import { ArtifactError } from '../src/artifact-error.ts';
import { runInstaller } from '../src/installer-run.ts';
import { LastLines } from '../src/last-lines.ts';
import { limits } from '../src/limits.ts';
import { createReaper } from '../src/reaper.ts';

/** Runs a shell script as if it was a package manager. */
async function run(
  script: string,
  onLine: (clock: VirtualClock) => void = () => {},
): Promise<{ readonly directory: string; readonly error: unknown }> {
  const directory = mkdtempSync(join(tmpdir(), 'installer-run-'));
  const reaper = createReaper({ clock: systemClock, logger: silentLogger });
  const clock = new VirtualClock();
  const error: unknown = await runInstaller({
    ...{
      name: 'tool',
      runtime: 'none',
      command: ['/bin/sh', '-c', script],
      directory,
      reaper,
      clock,
    },
    environment: { PATH: '/usr/bin:/bin' },
    texts: [],
    output: new LastLines(),
    signal: new AbortController().signal,
    redact: (text) => text,
    onProgress: () => onLine(clock),
    explain: (lines) => new ArtifactError('InstallFailed', `explained: ${lines.join()}`),
  }).catch((reason: unknown) => reason);
  assert.equal(clock.timers, 0);
  await reaper.close();
  return { directory, error };
}

it('what is temporary lies in the directory of the installation, and goes when it ends well', async () => {
  const { directory, error } = await run('echo x > "$TMPDIR/x" && cp "$TMPDIR/x" installed');
  assert.equal(error, undefined);
  assert.deepEqual(readdirSync(directory), ['installed']);
  assert.equal(readFileSync(join(directory, 'installed'), 'utf8'), 'x\n');
  rmSync(directory, { recursive: true });
});

it('a package manager that fails is explained by its output', async () => {
  const { directory, error } = await run('echo why; exit 1');
  assert.equal(String(error), 'FnletError: explained: why');
  rmSync(directory, { recursive: true });
});

it('a package manager that is killed by somebody is not taken for one that failed', async () => {
  const { directory, error } = await run('echo before; kill -9 $$');
  assert.ok(error instanceof ArtifactError);
  assert.equal(error.retry, 'later');
  assert.match(error.message, /: tool was killed by SIGKILL, expected .*\nbefore$/);
  rmSync(directory, { recursive: true });
});

it('a package manager that hangs is ended after its time, with all that it started', async () => {
  const hang = 'sleep 1000 & echo $! > child; echo hanging; wait';
  const { directory, error } = await run(hang, (clock) => void clock.advance(limits.installMs));
  assert.ok(error instanceof ArtifactError);
  assert.equal(error.retry, 'later');
  assert.match(error.message, /: tool did not end within 600 s, expected .*\nhanging$/);
  const child = readFileSync(join(directory, 'child'), 'utf8').trim();
  while (isAlive(child)) await new Promise((resolve) => setImmediate(resolve));
  rmSync(directory, { recursive: true });
});

/** A process that is dead and not yet collected by its parent counts as gone. */
function isAlive(pid: string): boolean {
  const status = `/proc/${pid}/status`;
  return existsSync(status) && !/^State:\s+[ZX]/m.test(readFileSync(status, 'utf8'));
}
