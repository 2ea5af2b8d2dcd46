/**
 * Installs what this checkout needs, once, and bundles the command. Runs on the machine's own Node,
 * however old (it is what brings the right one), so it is plain JavaScript with no dependencies.
 *
 * A stamp beside the installed modules holds the digest of the lock file that they came from: the
 * same lock is never installed twice, and a changed one is noticed.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { refreshBundle } from './bundle.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const stampFile = join(root, 'node_modules', '.fnlet-setup');
const nodeBinary = join(root, 'node_modules', '.bin', 'node');

/** The digest of everything that decides what gets installed. */
function wantedStamp() {
  const hash = createHash('sha256');
  hash.update(readFileSync(join(root, 'package-lock.json')));
  hash.update(`${process.platform} ${process.arch}`);
  return hash.digest('hex');
}

/** Whether the installed modules are those of the lock file, our own Node among them. */
function isInstalled(stamp) {
  return (
    existsSync(nodeBinary) &&
    existsSync(stampFile) &&
    readFileSync(stampFile, 'utf8').trim() === stamp
  );
}

const stamp = wantedStamp();
if (!isInstalled(stamp)) {
  process.stderr.write('fnlet: installing what is missing (once) ...\n');
  const install = spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  });
  if (install.status !== 0) {
    process.stderr.write(
      'fnlet: cannot install dependencies: "npm ci" failed (its output is above).\n' +
        'Check that the npm registry is reachable (npm ping) and run the command again.\n',
    );
    process.exit(install.status ?? 1);
  }
  writeFileSync(stampFile, `${stamp}\n`);
}
// Without a bundle Fnlet starts slower, from its sources; that stops nobody.
await refreshBundle(root).catch((error) => {
  process.stderr.write(`fnlet: cannot bundle the command: ${error.message}\n`);
});
