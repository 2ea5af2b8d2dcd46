/**
 * Owns the short private directory of Unix sockets: their paths end at 107 bytes, so they cannot
 * live in the data directory. A link in the data directory names it, so that the next owner of the
 * data directory, of which there is one at a time, removes what a killed predecessor left.
 */
import { lstatSync, mkdtempSync, readlinkSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export interface SocketDirectory {
  readonly path: string;
  /** A path that was not used before by this process. */
  nextPath(): string;
  /** Removes the directory and everything in it. */
  remove(): void;
}

const prefix = join(tmpdir(), 'fnlet-run-');

/** Makes the directory (mode 0700) and records it in `dataDirectory`. */
export function createSocketDirectory(dataDirectory: string): SocketDirectory {
  const record = join(dataDirectory, 'sockets');
  removeStale(record);
  const directory = mkdtempSync(prefix);
  symlinkSync(directory, record);
  let count = 0;
  return {
    path: directory,
    nextPath: () => join(directory, `${count++}.sock`),
    remove() {
      rmSync(directory, { recursive: true, force: true });
      rmSync(record, { force: true });
    },
  };
}

function removeStale(record: string): void {
  if (lstatSync(record, { throwIfNoEntry: false })?.isSymbolicLink() === true) {
    const stale = readlinkSync(record);
    // Never follow a link that somebody else made to somewhere else.
    const ours = stale.startsWith(prefix) && dirname(stale) === dirname(prefix);
    if (ours) rmSync(stale, { recursive: true, force: true });
  }
  rmSync(record, { force: true });
}
