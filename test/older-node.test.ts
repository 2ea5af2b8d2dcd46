/** A command that an older Node was told to run. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { test } from 'node:test';

const command = join(import.meta.dirname, '../packages/cli/bin/fnlet.js');
const older = findOlderNode();
const skip = older === undefined && 'no Node older than 24 on the PATH';

function findOlderNode(): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return folders
    .map((folder) => join(folder, 'node'))
    .filter(isProgram)
    .find((node) => {
      const { stdout } = spawnSync(node, ['--version'], { encoding: 'utf8' });
      return Number(/^v(\d+)/.exec(stdout)?.[1] ?? 24) < 24;
    });
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  test(`a server ends with the ${signal} that the older Node gets`, { skip }, async () => {
    const directory = await mkdtemp(join(tmpdir(), 'fnlet-older-'));
    const ports = ['--api-port', '0', '--http-port', '0', '--dashboard-port', '0'];
    const child = spawn(older ?? '', [command, 'up', '--data-dir', directory, ...ports], {
      stdio: ['ignore', 'pipe', 'inherit'],
      // A group of its own, so that both end when one of them does not.
      detached: true,
    });
    const { pid = 0 } = child;
    const tooLate = setTimeout(() => process.kill(-pid, 'SIGKILL'), 60_000);
    try {
      const ended = once(child, 'exit');
      let said = '';
      for await (const chunk of child.stdout) {
        said += chunk;
        if (said.includes('export KUBECONFIG=') && !child.killed) child.kill(signal);
      }
      assert.deepEqual(await ended, [0, null], said);
    } finally {
      clearTimeout(tooLate);
      await rm(directory, { recursive: true, force: true });
    }
  });
}

test('the exit code of a command is passed on', { skip }, () => {
  const { status } = spawnSync(older ?? '', [command, 'no-such-command'], { timeout: 20_000 });
  assert.equal(status, 2);
});
