/**
 * Owns a directory of installed packages: one directory for each digest of a lock and of whatever
 * else decides what comes out, and the locks that were made where none was given.
 *
 *     <directory>/locks/<digest of what is wanted>     what a package manager once decided
 *     <directory>/<digest of lock>/                    installed, complete, never changed
 *     <directory>/cache/                               what package managers fetched for everybody
 *     <directory>/private/<digest>/                    and what they fetched, in this life, with credentials
 *     <directory>/staging-…/                           being installed; of no worth after a crash
 *
 * I1. A directory appears under its digest by one rename, when it is complete.
 * I2. At most one run of a package manager per digest, and a bounded number of them at once.
 * I3. What is installed is found without a package manager and without a network.
 * I4. What was fetched with somebody's credentials is given to nobody without them.
 * I5. What a bucket has is brought back rather than made, and what is made is kept there.
 */
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode, sha256 } from '@fnlet/base';
import { ArtifactError } from './artifact-error.ts';
import type { ArtifactBucket } from './bucket/artifact-bucket.ts';
import { InstallSlots } from './install-slots.ts';
import { limits } from './limits.ts';
import { SharedWork, type WorkCaller, type WorkRun } from './shared-work.ts';

const stagingPrefix = 'staging-';
const privateName = 'private';
const kept: ReadonlySet<string> = new Set(['locks', 'cache', privateName]);

export class InstallDirectory {
  readonly path: string;
  readonly #bucket: ArtifactBucket | undefined;
  readonly #slots = new InstallSlots(limits.installsMax, limits.installsWaitingMax);
  readonly #work = new SharedWork<string>();
  /** What is only looked for: who makes it must not be told that there is none. */
  readonly #restores = new SharedWork<string | undefined>();

  /** Takes the directory over, which has one owner at a time. */
  constructor(path: string, bucket?: ArtifactBucket) {
    this.path = path;
    this.#bucket = bucket;
    mkdirSync(join(path, 'locks'), { recursive: true, mode: 0o700 });
    for (const name of readdirSync(path)) {
      const isLeft = name === privateName || name.startsWith(stagingPrefix);
      if (isLeft) rmSync(join(path, name), { recursive: true });
    }
  }

  /** Where a package manager keeps what it fetches, with this configuration of its registries. */
  cacheOf(configuration: string | undefined): string {
    if (configuration === undefined) return join(this.path, 'cache');
    return join(this.path, privateName, sha256(configuration));
  }

  /** The lock of this name; `make` writes it to the file in the staging directory that it names. */
  async lock(name: string, caller: WorkCaller, make: Make<string>): Promise<string> {
    const path = join(this.path, 'locks', name);
    const known = await tryRead(path);
    if (known !== undefined) return known;
    return this.#work.run(`lock ${name}`, caller, (run) =>
      this.#stage(run, async (staging) => {
        const kept = await this.#bucket?.restoreLock(name, run.signal);
        const text = kept ?? (await make(staging, run));
        if (kept === undefined) this.#bucket?.keepLock(name, text);
        const made = join(staging, 'made.lock');
        await writeFile(made, text);
        await rename(made, path);
        return text;
      }),
    );
  }

  /** The directory of this digest; `make` fills a staging directory that becomes it. */
  async installed(digest: string, caller: WorkCaller, make: Make<void>): Promise<string> {
    const target = join(this.path, digest);
    if (existsSync(target)) {
      this.#bucket?.keepPackages(digest, target);
      return target;
    }
    return this.#work.run(digest, caller, (run) =>
      this.#stage(run, async (staging) => {
        const isKept = await this.#bucket?.restorePackages(digest, staging, run.signal);
        if (isKept !== true) {
          await empty(staging);
          await make(staging, run);
        }
        await place(staging, target);
        this.#bucket?.keepPackages(digest, target);
        return target;
      }),
    );
  }

  /** The directory of this digest if it is there, or in the bucket. */
  async restored(digest: string, caller: WorkCaller): Promise<string | undefined> {
    const target = join(this.path, digest);
    if (existsSync(target)) return target;
    const bucket = this.#bucket;
    if (bucket === undefined) return undefined;
    return this.#restores.run(digest, caller, (run) =>
      this.#stage(run, async (staging) => {
        if (!(await bucket.restorePackages(digest, staging, run.signal))) return undefined;
        await place(staging, target);
        return target;
      }),
    );
  }

  /** Removes all installed directories that are not in `keep`. */
  async sweep(keep: ReadonlySet<string>): Promise<void> {
    for (const name of readdirSync(this.path)) {
      const path = join(this.path, name);
      const isInstalled = !kept.has(name) && !name.startsWith(stagingPrefix);
      if (!isInstalled || keep.has(path) || this.#work.has(name)) continue;
      await rm(path, { recursive: true, force: true });
    }
  }

  /** Runs `work` in a directory of its own, and removes what is left of it. */
  #stage<T>(run: WorkRunner, work: (staging: string) => Promise<T>): Promise<T> {
    return this.#slots.run(run.signal, async () => {
      let staging: string | undefined;
      try {
        staging = await mkdtemp(join(this.path, stagingPrefix));
        return await work(staging);
      } catch (error) {
        throw isDiskFull(error) ? diskFull(error) : error;
      } finally {
        if (staging !== undefined) await rm(staging, { recursive: true, force: true });
      }
    });
  }
}

/** I1. The same may have come from elsewhere in the meantime. */
async function place(staging: string, target: string): Promise<void> {
  try {
    await rename(staging, target);
  } catch (error) {
    if (!existsSync(target)) throw error;
  }
}

/** What is brought back may have come in part. */
async function empty(directory: string): Promise<void> {
  for (const name of readdirSync(directory)) {
    await rm(join(directory, name), { recursive: true, force: true });
  }
}

function isDiskFull(error: unknown): boolean {
  return hasCode(error, 'ENOSPC') || hasCode(error, 'EDQUOT');
}

function diskFull(cause: unknown): ArtifactError {
  return new ArtifactError(
    'InstallFailed',
    'Cannot install dependencies: no space is left on the disk, expected room for them',
    { cause, remedy: 'Free some disk space.' },
  );
}

type WorkRunner = Parameters<WorkRun<unknown>>[0];
type Make<T> = (staging: string, run: WorkRunner) => Promise<T>;

async function tryRead(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}
