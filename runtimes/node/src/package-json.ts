import { join } from 'node:path';
import { fs } from './builtins.ts';

/**
 * What the package.json of this directory holds; `undefined` when there is none, or none that
 * parses: that was reported when the dependencies were prepared.
 */
export function readPackageJson(directory: string): unknown {
  const path = join(directory, 'package.json');
  // Asked first: most sources have none, and on a cold call even a caught error is slow.
  if (!fs.existsSync(path)) return undefined;
  try {
    return JSON.parse(fs.readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}
