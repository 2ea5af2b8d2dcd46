import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execPath } from 'node:process';
import { it } from 'node:test';
import { promisify } from 'node:util';

const program = join(import.meta.dirname, 'log-full-writer.ts');
// A small disk of the test's own, that nobody else sees.
const unshare = ['--map-root-user', '--mount', 'sh', '-c'];
const canMount = spawnSync('unshare', [...unshare, 'mount -t tmpfs none /mnt']).status === 0;
const skip = !canMount && 'this machine gives no mount namespaces';

it('openLmdbLog() says when the disk is full, and goes on when records went', {
  skip,
}, async () => {
  const directory = await mkdtemp(join(tmpdir(), 'fnlet-log-full-'));
  const script = 'mount -t tmpfs -o size=48m none "$0" && exec "$@"';
  const command = [script, directory, execPath, program, join(directory, 'log')];
  const { stdout } = await promisify(execFile)('unshare', [...unshare, ...command]);
  const { accepted, kept, isLast } = JSON.parse(stdout);
  assert.ok(accepted > 250, `${accepted}`);
  assert.equal(kept, accepted, 'what was acknowledged is there, and nothing else');
  assert.ok(isLast);
  await rm(directory, { recursive: true });
});
