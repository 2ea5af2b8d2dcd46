import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * The content of a file of recorded cases, `../shared/vectors/<name>` beside the repository;
 * undefined where it is not at hand.
 */
export function readVectors(name: string): unknown {
  let root = import.meta.dirname;
  while (!existsSync(join(root, 'package-lock.json')) && root !== dirname(root)) {
    root = dirname(root);
  }
  const path = join(root, '..', 'shared', 'vectors', name);
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined;
}
