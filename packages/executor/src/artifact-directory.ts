/**
 * The layout of one artifact on disk:
 *
 *     complete.json            digests of the files, to see that they are all there
 *     package.json             {}: no package.json above decides how the code is loaded
 *     source/…                 what an Instance runs
 *     source/node_modules      link to the installed dependencies, if there are any; for Python
 *                              it is source/site-packages
 */
import { existsSync } from 'node:fs';
import { mkdir, readFile, readlink, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { isJsonObject, type JsonObject, sha256 } from '@fnlet/base';
import { type DependencyFolder, dependencyFolders } from './dependency-folder.ts';

const complete = 'complete.json';

/** Where the dependencies of an artifact are. */
export interface LinkedDependencies {
  /** Relative to `source`. */
  readonly directory: string;
  /** Within that directory, and within `source`. */
  readonly folder: DependencyFolder;
}

/**
 * Writes an artifact into an empty directory.
 *
 * @param installed The dependencies, if there are any.
 */
export async function writeArtifact(
  directory: string,
  files: ReadonlyMap<string, string>,
  installed: LinkedDependencies | undefined,
): Promise<void> {
  const source = join(directory, 'source');
  await mkdir(source);
  for (const [path, content] of files) {
    const target = join(source, path);
    if (path.includes('/')) await mkdir(dirname(target), { recursive: true });
    // Against mistakes: who runs as root, or replaces a file, writes all the same.
    await writeFile(target, content, { mode: 0o444 });
  }
  const digests = [...files].map(([path, content]) => [path, sha256(content)] as const);
  await completeArtifact(directory, new Map(digests), installed);
}

/**
 * Says that an artifact is complete whose files are in place.
 *
 * @param digests Of the files, by path.
 * @param installed The dependencies, if there are any.
 */
export async function completeArtifact(
  directory: string,
  digests: ReadonlyMap<string, string>,
  installed: LinkedDependencies | undefined,
): Promise<void> {
  if (installed !== undefined) await linkDependencies(directory, installed);
  await writeFile(join(directory, 'package.json'), '{}\n');
  const files = Object.fromEntries(digests);
  await writeFile(join(directory, complete), JSON.stringify({ files }));
}

/** Shows the dependencies of an artifact among its files. */
export async function linkDependencies(
  directory: string,
  installed: LinkedDependencies,
): Promise<void> {
  const link = join(directory, 'source', installed.folder);
  await symlink(join(installed.directory, installed.folder), link);
}

/** Whether the writing of it came to its end. */
export function isComplete(directory: string): boolean {
  return existsSync(join(directory, complete));
}

/** Whether all files are there as they were written. */
export async function verifyArtifact(directory: string): Promise<boolean> {
  try {
    for (const [path, digest] of Object.entries(await readDigests(directory))) {
      if (sha256(await readFile(join(directory, 'source', path))) !== digest) return false;
    }
    return true;
  } catch {
    return false;
  }
}

/**
 * Says, without reading them, which bytes its files hold: the same as long as nobody wrote to one.
 * Nobody can set the time of the last change of a file. `undefined` when one is missing.
 */
export async function fingerprintArtifact(directory: string): Promise<string | undefined> {
  try {
    const parts: string[] = [];
    for (const path of Object.keys(await readDigests(directory))) {
      const { ino, size, ctimeNs } = await stat(join(directory, 'source', path), { bigint: true });
      parts.push(`${ino} ${size} ${ctimeNs}`);
    }
    return sha256(parts.join());
  } catch {
    return undefined;
  }
}

async function readDigests(directory: string): Promise<JsonObject> {
  const told: unknown = JSON.parse(await readFile(join(directory, complete), 'utf8'));
  if (isJsonObject(told) && isJsonObject(told.files)) return told.files;
  throw new Error(`Cannot read "${complete}": found no digests, expected some`);
}

/** Where the link to the dependencies leads; `undefined` when there is none. */
export async function findLinkedModules(directory: string): Promise<string | undefined> {
  const source = join(directory, 'source');
  for (const folder of dependencyFolders) {
    try {
      return resolve(source, await readlink(join(source, folder)));
    } catch {
      // There is no link of this name.
    }
  }
  return undefined;
}
