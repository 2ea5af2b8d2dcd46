import { open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode, isJsonObject } from '@fnlet/base';
import { StoreError } from './store-error.ts';

/** Moves with every change of the layout that older code cannot read. */
export const storeFormat = 1;

export interface KnownFormats {
  readonly written: number;
  /** Older ones that this code reads, and makes the one it writes. */
  readonly alsoRead?: readonly number[];
}

/**
 * Makes sure that `directory` holds a store this code can read, and marks a new one.
 *
 * @throws StoreError `UnknownFormat`
 */
export async function checkFormat(
  directory: string,
  { written, alsoRead = [] }: KnownFormats = { written: storeFormat },
): Promise<void> {
  const path = join(directory, 'format.json');
  const found = await readMarker(path);
  if (found === written) return;
  if (found === undefined || alsoRead.includes(found)) {
    await writeMarker(directory, path, written);
    return;
  }
  throw new StoreError(
    'UnknownFormat',
    `Cannot open store "${directory}": found format ${found}, expected ${written}`,
    { remedy: 'Open it with the Fnlet that wrote it, or choose another data directory' },
  );
}

/** The format that the marker names; `undefined` without a marker, NaN when it is not one. */
async function readMarker(path: string): Promise<number | undefined> {
  try {
    const marker: unknown = JSON.parse(await readFile(path, 'utf8'));
    const format = isJsonObject(marker) ? marker.format : undefined;
    return typeof format === 'number' ? format : Number.NaN;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    if (error instanceof SyntaxError) return Number.NaN;
    throw error;
  }
}

/** Through a draft and a rename, so that a crash leaves a whole marker or none. */
async function writeMarker(directory: string, path: string, format: number): Promise<void> {
  const draft = `${path}.draft`;
  const file = await open(draft, 'w');
  try {
    await file.writeFile(`${JSON.stringify({ kind: 'fnlet-store', format })}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(draft, path);
  await syncDirectory(directory);
}

/** Makes the names of new files in `directory` survive power loss (fsync(2), notes). */
export async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
