/**
 * Keeps artifacts, installed packages and locks in a store that outlives the disk of this process,
 * and brings them back where that is empty:
 *
 *     artifacts/<digest>/<sha256>[-<name of its packages>-<folder>].tar.gz
 *     dependencies/<digest>/<sha256>.tar.gz
 *     locks/<name>/<sha256>
 *
 * The first name says what goes in, as on the disk; the second what came out.
 *
 * I1. What is brought back has the digest that it is called by, or it is not used.
 * I2. Nobody waits for what is being kept; what cannot be kept now is kept when it is used again.
 * I3. A store that does not answer costs time and a warning: everything can be made again.
 */
import { createHash } from 'node:crypto';
import { createReadStream, mkdirSync, rmSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type Clock, errorMessage, type Logger } from '@fnlet/base';
import { create, extract } from 'tar';
import { type DependencyFolder, dependencyFolders } from '../dependency-folder.ts';
import type { BlobStore, ListedBlob } from './blob-store.ts';
import { KeepQueue } from './keep-queue.ts';
import { bucketLimits } from './limits.ts';

export interface ArtifactBucketOptions {
  readonly blobs: BlobStore;
  /** For files on their way; it has one owner at a time, and may be lost. */
  readonly directory: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The packages of an artifact. */
export interface KeptPackages {
  /** Digest that names them. */
  readonly name: string;
  readonly folder: DependencyFolder;
}

/** What an artifact is besides its files. */
export interface KeptArtifact {
  readonly packages: KeptPackages | undefined;
}

const suffix = '.tar.gz';
const archiveName = /^([0-9a-f]{64})(?:-([0-9a-f]{64})-(node_modules|site-packages))?\.tar\.gz$/;

export class ArtifactBucket {
  readonly #options: ArtifactBucketOptions;
  readonly #queue: KeepQueue;
  readonly #closing = new AbortController();
  #sweptAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: ArtifactBucketOptions) {
    this.#options = options;
    rmSync(options.directory, { recursive: true, force: true });
    mkdirSync(options.directory, { recursive: true, mode: 0o700 });
    const { logger } = options;
    this.#queue = new KeepQueue(this.#closing.signal, (name, error) => {
      const fields = { name, store: options.blobs.name, error: errorMessage(error) };
      logger.warn('Cannot keep an artifact: it is made again if it is lost', fields);
    });
  }

  /** Brings an artifact into an empty directory, without the link to its packages. */
  async restoreArtifact(
    digest: string,
    target: string,
    signal: AbortSignal,
  ): Promise<KeptArtifact | undefined> {
    const key = await this.#restore(`artifacts/${digest}/`, target, signal);
    if (key === undefined) return undefined;
    const [, , name, folder] = archiveName.exec(lastPart(key)) ?? [];
    const known = dependencyFolders.find((one) => one === folder);
    const packages =
      name === undefined || known === undefined ? undefined : { name, folder: known };
    return { packages };
  }

  /** Brings installed packages into an empty directory. */
  async restorePackages(name: string, target: string, signal: AbortSignal): Promise<boolean> {
    return (await this.#restore(`dependencies/${name}/`, target, signal)) !== undefined;
  }

  /** What a package manager once decided. */
  async restoreLock(name: string, signal: AbortSignal): Promise<string | undefined> {
    return this.#within(`locks/${name}`, signal, async (staging) => {
      for (const { key } of await this.#keysOf(`locks/${name}/`, signal)) {
        const file = join(staging, 'lock');
        const bytesMax = bucketLimits.lockBytesMax;
        if (!(await this.#options.blobs.get(key, { file, bytesMax }, signal))) continue;
        if ((await digestOf(file)) === lastPart(key)) return await readFile(file, 'utf8');
        this.#distrust(key);
      }
      return undefined;
    });
  }

  /** Has an artifact kept, which never changes. */
  keepArtifact(digest: string, directory: string, packages: KeptPackages | undefined): void {
    const rest = packages === undefined ? '' : `-${packages.name}-${packages.folder}`;
    const leftOut = packages && join('source', packages.folder);
    this.#keep(`artifacts/${digest}/`, async (staging) => {
      const { file, sha256 } = await pack(directory, staging, leftOut);
      return { file, name: `${sha256}${rest}${suffix}` };
    });
  }

  /** Has installed packages kept, which never change. */
  keepPackages(name: string, directory: string): void {
    this.#keep(`dependencies/${name}/`, async (staging) => {
      const { file, sha256 } = await pack(directory, staging, undefined);
      return { file, name: `${sha256}${suffix}` };
    });
  }

  keepLock(name: string, text: string): void {
    this.#keep(`locks/${name}/`, async (staging) => {
      const file = join(staging, 'lock');
      await writeFile(file, text);
      return { file, name: await digestOf(file) };
    });
  }

  /** Resolves when all that was to be kept is, or could not be. */
  settled(): Promise<void> {
    return this.#queue.settled();
  }

  /**
   * Removes artifacts that are not in `keep` and have had their time to get there, and packages
   * that none of the rest has; once an hour at most.
   */
  async sweep(keep: ReadonlySet<string>): Promise<void> {
    const { clock, logger, blobs } = this.#options;
    const nowMs = clock.monotonicMs();
    if (nowMs - this.#sweptAtMs < bucketLimits.sweepMs) return;
    this.#sweptAtMs = nowMs;
    try {
      const used = new Set<string>();
      await this.#removeUnused('artifacts/', (name, file) => {
        const [, , packages] = archiveName.exec(file) ?? [];
        if (keep.has(name) && packages !== undefined) used.add(packages);
        return keep.has(name);
      });
      await this.#removeUnused('dependencies/', (name) => used.has(name));
    } catch (error) {
      if (this.#closing.signal.aborted) return;
      const fields = { store: blobs.name, error: errorMessage(error) };
      logger.warn('Cannot remove artifacts that nobody uses', fields);
    }
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#queue.settled();
    this.#options.blobs.close();
  }

  async #removeUnused(
    prefix: string,
    isUsed: (name: string, file: string) => boolean,
  ): Promise<void> {
    const { blobs, clock } = this.#options;
    const { signal } = this.#closing;
    const before = clock.now() - bucketLimits.sweptAfterMs;
    const unused: string[] = [];
    for await (const { key, changedMs } of blobs.list(prefix, signal)) {
      const [, name = '', file = ''] = key.split('/');
      // What is new may be on its way to be used, with its packages.
      if (!isUsed(name, file) && changedMs < before) unused.push(key);
    }
    for (const key of unused) {
      await blobs.remove(key, signal);
      this.#queue.forget(key.slice(0, key.lastIndexOf('/') + 1));
    }
  }

  #keep(
    prefix: string,
    make: (staging: string) => Promise<{ readonly file: string; readonly name: string }>,
  ): void {
    this.#queue.add(prefix, async (signal) => {
      const { blobs, directory } = this.#options;
      if ((await this.#keysOf(prefix, signal)).length > 0) return;
      const staging = await mkdtemp(join(directory, 'keep-'));
      try {
        const { file, name } = await make(staging);
        await blobs.put(prefix + name, file, signal);
      } finally {
        await rm(staging, { recursive: true, force: true });
      }
    });
  }

  /** The key of what was brought into the directory; `undefined`: there is nothing that is whole. */
  #restore(prefix: string, target: string, signal: AbortSignal): Promise<string | undefined> {
    return this.#within(prefix, signal, async (staging) => {
      for (const { key } of await this.#keysOf(prefix, signal)) {
        const file = join(staging, 'archive');
        const [, sha256] = archiveName.exec(lastPart(key)) ?? [];
        const bytesMax = bucketLimits.archiveBytesMax;
        if (sha256 === undefined) continue;
        if (!(await this.#options.blobs.get(key, { file, bytesMax }, signal))) continue;
        if ((await digestOf(file)) !== sha256) {
          this.#distrust(key);
          continue;
        }
        // Paths and links that lead out are left out by the package itself.
        await pipeline(createReadStream(file), extract({ cwd: target, strict: true }), { signal });
        this.#queue.know(prefix);
        return key;
      }
      return undefined;
    });
  }

  /** With a directory for what is on its way. I3: a failure is a warning. */
  async #within<T>(
    name: string,
    signal: AbortSignal,
    work: (staging: string) => Promise<T | undefined>,
  ): Promise<T | undefined> {
    const { directory, blobs, logger } = this.#options;
    const staging = await mkdtemp(join(directory, 'restore-'));
    try {
      return await work(staging);
    } catch (error) {
      signal.throwIfAborted();
      const fields = { name, store: blobs.name, error: errorMessage(error) };
      logger.warn('Cannot bring back what was kept: it is made again', fields);
      return undefined;
    } finally {
      await rm(staging, { recursive: true, force: true });
    }
  }

  /** I1 */
  #distrust(key: string): void {
    const { logger, blobs } = this.#options;
    logger.warn('What was kept is damaged and is not used', { key, store: blobs.name });
  }

  #keysOf(prefix: string, signal: AbortSignal): Promise<readonly ListedBlob[]> {
    return Array.fromAsync(this.#options.blobs.list(prefix, signal));
  }
}

function lastPart(key: string): string {
  return key.slice(key.lastIndexOf('/') + 1);
}

/** The same files give the same bytes, whoever packs them and when. */
async function pack(
  directory: string,
  staging: string,
  leftOut: string | undefined,
): Promise<{ readonly file: string; readonly sha256: string }> {
  const file = join(staging, 'archive');
  const names = (await readdir(directory)).sort().map((name) => `./${name}`);
  const filter = (path: string): boolean => path.replace(/^\.\//, '') !== leftOut;
  const terms = { cwd: directory, file, gzip: { level: 1 }, portable: true, mtime: new Date(0) };
  await create({ ...terms, filter }, names);
  return { file, sha256: await digestOf(file) };
}

async function digestOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}
