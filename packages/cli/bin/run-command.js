// Plain JavaScript, so that any Node can run it.
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import module from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { findBundle } from './find-bundle.js';
import { tellSources } from './source-stacks.js';

/**
 * Runs a command of this package on a Node that runs TypeScript: this one, or the one that was
 * installed with it.
 *
 * @param {string} url of the file of the command
 * @param {'fnlet' | 'kubeless'} name
 */
export async function runCommand(url, name) {
  const own = realpathSync(fileURLToPath(url));
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major < 24 || (major === 24 && minor < 12)) {
    process.exitCode = await runOnOwnNode(own);
    return;
  }
  if (process.platform === 'linux' && process.argv[2] === 'up') obeyFirstLine(own);
  // Keeps compiled and type-stripped code between runs; without it every start would do it anew.
  module.enableCompileCache();
  const bundle = findBundle(join(dirname(own), '../dist'));
  const { main } = await (bundle === undefined ? importSources(own) : importBundle(bundle));
  await main(name);
}

/**
 * Who starts a server as `node fnlet.js up` passes the first line by: then this process becomes the
 * one that it asks for. Other commands end before it matters.
 */
function obeyFirstLine(own) {
  const words = readFileSync(own, 'utf8').split('\n', 1)[0].split(' ');
  const wanted = Object.fromEntries(
    words.filter((word) => /^[A-Z_]+=/.test(word)).map((word) => word.split('=')),
  );
  if (Object.keys(wanted).every((name) => name in process.env)) return;
  const flags = words.filter((word) => word.startsWith('--'));
  const args = [process.execPath, ...flags, ...process.execArgv, ...process.argv.slice(1)];
  process.execve(process.execPath, args, { ...wanted, ...process.env });
}

async function importSources(own) {
  const { resolveOwnModules } = await import('../src/own-modules.ts');
  resolveOwnModules(new URL('../../', pathToFileURL(own)).href);
  return import('../src/main.ts');
}

async function importBundle(path) {
  // Stack traces name the source files; the maps are read when there is a stack to tell.
  tellSources(new URL('.', pathToFileURL(path)).href);
  // Late, as an old Node has not what it needs.
  const { exportsOf } = await import('./start-scripts.js');
  return exportsOf(pathToFileURL(path).href);
}

/**
 * Runs this program again on the Node that was installed with it, and returns its exit code.
 *
 * I1. Whoever signals this process means that one. From a terminal it gets the signal too, and takes
 *     both for one (`sameKeyPressMs`).
 */
async function runOnOwnNode(own) {
  // Read late: nobody else needs them.
  const { spawn } = await import('node:child_process');
  const { constants } = await import('node:os');
  const node = findOwnNode(dirname(own));
  if (node === undefined) {
    process.stderr.write(
      `fnlet: needs Node 24.12 or newer, found ${process.versions.node}.\n` +
        'Install it (npm install node@24), or run fnlet through npx or npm, which bring it along.\n',
    );
    return 1;
  }
  const args = [...process.execArgv, own, ...process.argv.slice(2)];
  const child = spawn(node, args, { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => child.kill(signal));
  }
  return await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => resolve(code ?? 128 + constants.signals[signal]));
  });
}

function findOwnNode(directory) {
  const candidate = join(directory, 'node_modules', '.bin', 'node');
  if (existsSync(candidate)) return candidate;
  const parent = dirname(directory);
  return parent === directory ? undefined : findOwnNode(parent);
}
