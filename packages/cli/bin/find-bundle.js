// Plain JavaScript, as both users are: the command, and tooling/setup.mjs on any Node.
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Path of the bundle's entry, if it holds the code as it is now. A checkout's bundle tells the files
 * that it was made of and when the disk last changed each; one edit, and the sources are run until
 * there is a new bundle. Where there are no sources, as in the published package, it is all there is.
 *
 * @param {string} directory where bundles are kept, `packages/cli/dist` in a checkout
 * @returns {string | undefined}
 */
export function findBundle(directory) {
  const current = readCurrent(join(directory, 'current.json'));
  if (current === undefined) return undefined;
  const root = join(directory, '../../..');
  for (const path in current.inputs) {
    if (changeTimeMs(`${root}/${path}`) !== current.inputs[path]) return undefined;
  }
  return join(directory, current.build, 'src', 'fnlet.js');
}

/**
 * When the disk last changed anything about a file, in milliseconds. Unlike the time of its contents
 * nobody can set it back.
 */
export function changeTimeMs(path) {
  return statSync(path, { throwIfNoEntry: false })?.ctimeMs;
}

function readCurrent(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    // None was made, or it was not written whole: then there is none.
    return undefined;
  }
}
