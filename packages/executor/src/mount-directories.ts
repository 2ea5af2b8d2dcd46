/**
 * Owns the directories that Instances see as mounts, and changes what is in them as a kubelet does:
 *
 *     <root>/<name>/..<number>/<file>     one state of the files, complete, never changed
 *     <root>/<name>/..data -> ..<number>  the present one; changes by one rename
 *     <root>/<name>/<file> -> ..data/<file>
 *
 * I1. A reader sees the files of one state or of the next, and never a file that is half written.
 * I2. Writes in one group follow one another, and so does its removal; a write that changes
 *     nothing touches nothing.
 * I3. Nothing is left behind, by this process or by one before it that was killed.
 */
import { mkdirSync, rmSync } from 'node:fs';
import {
  chmod,
  mkdir,
  readdir,
  readlink,
  rename,
  rm,
  symlink,
  unlink,
  writeFile,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { hasCode, sha256 } from '@fnlet/base';
import type { VolumeFile } from './container-runtime.ts';
import { ExecutorError } from './executor-error.ts';

interface State {
  readonly number: number;
  readonly digest: string;
}

const next = '..next';

/** Directories of files that are seen elsewhere, and change there. */
export interface MountDirectories {
  /**
   * Makes the directory `<group>/<name>` hold these files and no others; resolves to its path.
   *
   * @throws ExecutorError `InvalidVolume`, and what the file system throws
   */
  write(name: string, files: readonly VolumeFile[]): Promise<string>;
  /** Removes the directories of a group: those whose name is this one and one more part. */
  remove(group: string): Promise<void>;
}

/** @param root Belongs to this alone; what is in it is removed. */
export function createMountDirectories(root: string): MountDirectories {
  rmSync(root, { recursive: true, force: true });
  mkdirSync(root, { recursive: true, mode: 0o755 });
  return new Directories(root);
}

class Directories implements MountDirectories {
  readonly #root: string;
  readonly #states = new Map<string, State>();
  readonly #writing = new Map<string, Promise<unknown>>();

  constructor(root: string) {
    this.#root = root;
  }

  async write(name: string, files: readonly VolumeFile[]): Promise<string> {
    for (const { path } of files) assertBelow(path);
    const path = join(this.#root, name);
    await this.#after(dirname(name), () => this.#write(name, path, files));
    return path;
  }

  async remove(group: string): Promise<void> {
    await this.#after(group, async () => {
      for (const name of [...this.#states.keys()]) {
        if (dirname(name) === group) this.#states.delete(name);
      }
      await rm(join(this.#root, group), { recursive: true, force: true });
    });
  }

  async #after(group: string, work: () => Promise<void>): Promise<void> {
    const before = this.#writing.get(group);
    const running = (before ?? Promise.resolve()).then(work, work);
    this.#writing.set(group, running);
    try {
      await running;
    } finally {
      if (this.#writing.get(group) === running) this.#writing.delete(group);
    }
  }

  async #write(name: string, path: string, files: readonly VolumeFile[]): Promise<void> {
    const digest = digestOf(files);
    const before = this.#states.get(name);
    if (before?.digest === digest) return;
    const number = (before?.number ?? 0) + 1;
    const present = `..${number}`;
    // What is left of a write that failed is of no worth.
    for (const old of [present, next]) await rm(join(path, old), { recursive: true, force: true });
    await mkdir(join(path, present), { recursive: true, mode: 0o755 });
    for (const file of files) await writeVolumeFile(join(path, present), file);
    await symlink(present, join(path, next));
    await rename(join(path, next), join(path, '..data'));
    await linkFiles(path, new Set(files.map(({ path: file }) => topOf(file))));
    this.#states.set(name, { number, digest });
    if (before !== undefined) await rm(join(path, `..${before.number}`), { recursive: true });
  }
}

function digestOf(files: readonly VolumeFile[]): string {
  const parts = files.map(({ path, mode, content }) => [path, mode, sha256(content)]);
  return sha256(JSON.stringify(parts));
}

async function writeVolumeFile(directory: string, file: VolumeFile): Promise<void> {
  const target = join(directory, file.path);
  await mkdir(dirname(target), { recursive: true, mode: 0o755 });
  await writeFile(target, file.content, { mode: 0o600 });
  // The mode of a new file is cut by the umask.
  await chmod(target, file.mode);
}

/** Leads every file to the present state; those that there are no more end. */
async function linkFiles(path: string, wanted: ReadonlySet<string>): Promise<void> {
  for (const name of wanted) {
    try {
      await symlink(join('..data', name), join(path, name));
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) throw error;
    }
  }
  for (const name of await readdir(path)) {
    if (name.startsWith('..') || wanted.has(name)) continue;
    const link = join(path, name);
    if ((await readlink(link)) === join('..data', name)) await unlink(link);
  }
}

function topOf(path: string): string {
  return path.split('/')[0] ?? path;
}

// A key of a Secret may be `..data` or `..1`: a kubelet refuses those too.
function assertBelow(path: string): void {
  const names = path.split('/');
  if (names.every((name) => name !== '' && name !== '.') && !names.some(isReserved)) return;
  const text = `Cannot write volume file "${path}": it leads outside, expected a path below`;
  throw new ExecutorError('InvalidVolume', text);
}

function isReserved(name: string): boolean {
  return name.startsWith('..');
}
