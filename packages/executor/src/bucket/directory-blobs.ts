import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, rmdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { assert, hasCode, type Random, randomName } from '@fnlet/base';
import {
  BlobError,
  type BlobStore,
  type BlobTarget,
  isBlobKey,
  type ListedBlob,
  tooLarge,
} from './blob-store.ts';

/** Names of what is being written begin with it; no key has a part that does. */
const partPrefix = '.part-';

/** Blobs as files below a directory that several machines may share, such as a mounted volume. */
export class DirectoryBlobs implements BlobStore {
  readonly name: string;
  readonly #directory: string;
  readonly #random: Random;

  constructor(options: { readonly directory: string; readonly random: Random }) {
    this.name = `file://${options.directory}`;
    this.#directory = options.directory;
    this.#random = options.random;
  }

  async get(key: string, { file, bytesMax }: BlobTarget, signal: AbortSignal): Promise<boolean> {
    const path = this.#pathOf(key);
    try {
      const { size } = await stat(path);
      if (size > bytesMax) throw tooLarge({ store: this.name, key }, size, bytesMax);
      await pipeline(createReadStream(path), createWriteStream(file, { mode: 0o600 }), { signal });
      return true;
    } catch (error) {
      if (hasCode(error, 'ENOENT')) return false;
      throw this.#explain('read', key, error);
    }
  }

  async put(key: string, file: string, signal: AbortSignal): Promise<void> {
    const path = this.#pathOf(key);
    const part = join(dirname(path), `${partPrefix}${randomName(this.#random, 12)}`);
    try {
      await mkdir(dirname(path), { recursive: true });
      await pipeline(createReadStream(file), createWriteStream(part), { signal });
      const written = await open(part, 'r');
      await written.sync();
      await written.close();
      await rename(part, path);
    } catch (error) {
      throw this.#explain('write', key, error);
    } finally {
      await rm(part, { force: true });
    }
  }

  async *list(prefix: string): AsyncIterable<ListedBlob> {
    const found: ListedBlob[] = [];
    const entries = await this.#entries();
    for (const key of entries) {
      if (!key.startsWith(prefix)) continue;
      const known = await stat(join(this.#directory, key)).catch(() => undefined);
      if (known === undefined) continue;
      found.push({ key, bytes: known.size, changedMs: known.mtimeMs });
    }
    yield* found.sort((one, other) => (one.key < other.key ? -1 : 1));
  }

  async remove(key: string): Promise<void> {
    const path = this.#pathOf(key);
    try {
      await rm(path, { force: true });
      // Where it was the last one; somebody may put another there in this moment.
      await rmdir(dirname(path)).catch(() => {});
    } catch (error) {
      throw this.#explain('remove', key, error);
    }
  }

  close(): void {}

  async #entries(): Promise<readonly string[]> {
    try {
      const options = { recursive: true, withFileTypes: true } as const;
      const entries = await readdir(this.#directory, options);
      const files = entries.filter((entry) => entry.isFile() && !entry.name.startsWith(partPrefix));
      const from = this.#directory.length + 1;
      return files.map((entry) => join(entry.parentPath, entry.name).slice(from));
    } catch (error) {
      if (hasCode(error, 'ENOENT')) return [];
      throw this.#explain('list', '', error);
    }
  }

  #pathOf(key: string): string {
    assert(isBlobKey(key), `"${key}" is no key of a blob`);
    return join(this.#directory, key);
  }

  #explain(verb: string, key: string, cause: unknown): unknown {
    if (cause instanceof BlobError || hasCode(cause, 'ABORT_ERR')) return cause;
    const isDenied = hasCode(cause, 'EACCES') || hasCode(cause, 'EROFS') || hasCode(cause, 'EPERM');
    const found = cause instanceof Error ? cause.message : String(cause);
    const message = `Cannot ${verb} "${key}" in ${this.name}: found ${found}, expected a file`;
    const remedy = 'Look at the volume, and at who may write there.';
    const code = isDenied ? 'Denied' : 'Unreachable';
    return new BlobError(code, message, { cause, remedy, retry: 'later' });
  }
}
