/**
 * Owns the directories in which commands beside Instances start: a copy of the sources for each
 * process of an Instance, made at its first command.
 *
 *     <directory>/package.json            {}: no package.json above decides how code is loaded
 *     <directory>/<instance>-…/           the copy; its node_modules leads to the same packages
 *
 * I1. What a command writes where it starts changes no artifact, which all Instances of a Revision
 *     share. As in a container, it is gone with the process of the Instance.
 * I2. While a command runs, its directory is looked at; one that holds too much is told, once.
 * I3. Nothing is left behind: not by this process, nor by one before it that was killed.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import {
  chmod,
  copyFile,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  realpath,
  rm,
  symlink,
} from 'node:fs/promises';
import { join, relative } from 'node:path';
import { type Clock, errorMessage, type Logger } from '@fnlet/base';
import type { Executor, Instance } from './executor.ts';
import { limits } from './limits.ts';

export interface CommandDirectoriesOptions {
  /** Belongs to this alone; what is in it is removed. */
  readonly directory: string;
  readonly executor: Pick<Executor, 'subscribe'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

export class CommandDirectories {
  readonly #options: CommandDirectoriesOptions;
  readonly #copies = new Map<string, Promise<string>>();
  readonly #removals = new Set<Promise<void>>();
  readonly #unsubscribe: () => void;

  constructor(options: CommandDirectoriesOptions) {
    const { directory, executor } = options;
    this.#options = options;
    rmSync(directory, { recursive: true, force: true });
    this.#unsubscribe = executor.subscribe(({ kind, instance }) => {
      if (kind === 'crashed' || kind === 'stopped' || kind === 'loadFailed') {
        this.#remove(instance.id);
      }
    });
  }

  /** The directory of an Instance that runs. The promise fails as the file system does. */
  of(instance: Instance): Promise<string> {
    const known = this.#copies.get(instance.id);
    if (known !== undefined) return known;
    const copy = this.#make(instance);
    this.#copies.set(instance.id, copy);
    // The next command tries again.
    copy.catch(() => {
      if (this.#copies.get(instance.id) === copy) this.#copies.delete(instance.id);
    });
    return copy;
  }

  /** Until `signal` aborts: calls `onFull` once when `path` holds more than a directory may. */
  guard(path: string, signal: AbortSignal, onFull: () => void): void {
    const { clock } = this.#options;
    const look = async (): Promise<void> => {
      const isFull = await holdsTooMuch(path);
      if (signal.aborted) return;
      if (isFull) onFull();
      else wait();
    };
    const wait = (): void => {
      const timer = clock.after(limits.commandDirectoryLookMs, () => {
        signal.removeEventListener('abort', cancel);
        void look();
      });
      const cancel = (): void => timer.cancel();
      signal.addEventListener('abort', cancel, { once: true });
    };
    if (!signal.aborted) wait();
  }

  /** To be called when no Instance is left. */
  async close(): Promise<void> {
    this.#unsubscribe();
    for (const id of [...this.#copies.keys()]) this.#remove(id);
    await Promise.all(this.#removals);
    await rm(this.#options.directory, { recursive: true, force: true });
  }

  async #make({ id, revision }: Instance): Promise<string> {
    const { directory } = this.#options;
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    writeFileSync(join(directory, 'package.json'), '{}\n');
    const path = await mkdtemp(join(directory, `${id}-`));
    try {
      await copySource(revision.sourceDirectory, path);
      return path;
    } catch (error) {
      await rm(path, { recursive: true, force: true });
      throw error;
    }
  }

  #remove(id: string): void {
    const copy = this.#copies.get(id);
    if (copy === undefined) return;
    this.#copies.delete(id);
    const removal = copy
      // The commands in it are being killed, and may write until they are gone.
      .then((path) => rm(path, { recursive: true, force: true, maxRetries: 5 }))
      .catch((error) => {
        const fields = { instance: id, error: errorMessage(error) };
        this.#options.logger.warn('Cannot remove the directory of commands', fields);
      })
      .finally(() => this.#removals.delete(removal));
    this.#removals.add(removal);
  }
}

// The copy can be written, whatever the modes of the original are. Links are not followed: the one
// to the packages leads there from the copy too.
async function copySource(source: string, target: string): Promise<void> {
  for (const entry of await readdir(source, { recursive: true, withFileTypes: true })) {
    const from = join(entry.parentPath, entry.name);
    const to = join(target, relative(source, from));
    if (entry.isDirectory()) await mkdir(to);
    else if (entry.isSymbolicLink()) await symlink(await realpath(from), to);
    else if (entry.isFile()) {
      await copyFile(from, to);
      await chmod(to, 0o644);
    }
  }
}

async function holdsTooMuch(path: string): Promise<boolean> {
  let bytes = 0;
  try {
    const entries = await readdir(path, { recursive: true, withFileTypes: true });
    if (entries.length > limits.commandDirectoryEntriesMax) return true;
    for (const { parentPath, name } of entries) {
      bytes += (await lstat(join(parentPath, name))).size;
      if (bytes > limits.commandDirectoryBytesMax) return true;
    }
  } catch {
    // Something went away while it was looked at; the next look finds the rest.
  }
  return false;
}
