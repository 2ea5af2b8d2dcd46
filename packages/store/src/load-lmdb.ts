import { createRequire } from 'node:module';

declare global {
  interface ImportMeta {
    /**
     * A package that a bundle has as one file; undefined when it has not, or has another version
     * than is installed. Absent where sources run (packages/cli/bin/start-scripts.js).
     */
    readonly packageOf?: (name: 'lmdb') => typeof import('lmdb') | undefined;
  }
}

/**
 * LMDB, loaded when it is first needed: a process with only memory stores never loads the native
 * module. Required, because that is one file of it, where an import is twelve.
 *
 * @throws Error when it is not installed, or not for this machine
 */
export function loadLmdb(): typeof import('lmdb') {
  return import.meta.packageOf?.('lmdb') ?? createRequire(import.meta.url)('lmdb');
}
