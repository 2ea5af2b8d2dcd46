/**
 * Owns the archives that were fetched, for as long as somebody may want to unpack them:
 *
 *     <directory>/<digest>              an archive, complete
 *     <directory>/<scope>-<digest>      one that was fetched with credentials
 *     <directory>/staging-…             being fetched; of no worth after a crash
 *
 * I1. A file appears under its digest by one rename, when it is complete.
 * I2. All of it can be lost at any time: it is fetched again.
 */
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { mkdtemp, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, sha256 } from '@fnlet/base';
import { ArtifactError } from '../artifact-error.ts';
import { limits } from '../limits.ts';
import type { Environment } from '../npm-command.ts';
import type { Reaper } from '../reaper.ts';
import { SharedWork, type WorkCaller } from '../shared-work.ts';
import type { SecretValues } from './git-credentials.ts';
import { download } from './http-download.ts';
import type { FindService } from './service-route.ts';
import { checksumMismatch } from './tree-error.ts';
import { unpackArchive } from './unpack-archive.ts';

export interface ArchiveCacheOptions {
  readonly directory: string;
  readonly environment: Environment;
  /** Knows the hosts that are Services. Default: none is. */
  readonly findService?: FindService | undefined;
  readonly reaper: Reaper;
  readonly clock: Clock;
}

/** Where an archive is fetched from. */
export interface ArchiveRemote {
  readonly url: string;
  /** Names the Secret, so that what it opens is for its owners only; empty without one. */
  readonly scope: string;
  /** The values of the Secret; `undefined` where none is named. */
  readonly secret: SecretValues | undefined;
}

/** Where a source is unpacked to, and from which directory of its archive. */
export interface ArchiveTarget {
  /** An empty directory. */
  readonly target: string;
  /** Empty for the root. */
  readonly directory: string;
}

const stagingPrefix = 'staging-';

export class ArchiveCache {
  readonly #options: ArchiveCacheOptions;
  readonly #work = new SharedWork<string>();

  constructor(options: ArchiveCacheOptions) {
    const { directory } = options;
    this.#options = options;
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    for (const name of readdirSync(directory)) {
      if (name.startsWith(stagingPrefix)) rmSync(join(directory, name), { recursive: true });
    }
  }

  /**
   * Fetches an archive, whichever it is now.
   *
   * @returns its sha256 digest in hex
   * @throws ArtifactError
   */
  fetch(remote: ArchiveRemote, caller: WorkCaller): Promise<string> {
    const { clock, environment, findService, directory } = this.#options;
    const key = sha256(JSON.stringify([remote.url, remote.scope, remote.secret ?? null]));
    return this.#work.run(key, caller, async ({ signal, onProgress }) => {
      onProgress(`Fetching ${remote.url}`);
      const staging = await mkdtemp(join(directory, stagingPrefix));
      try {
        const target = join(staging, 'archive');
        const digest = await download({
          ...{ ...remote, target, environment, findService, clock, signal },
        });
        await rename(target, this.#path(remote, digest));
        return digest;
      } finally {
        await rm(staging, { recursive: true, force: true });
      }
    });
  }

  /**
   * Unpacks the archive of this digest; it is fetched when it is not here.
   *
   * @throws ArtifactError `ChecksumMismatch` when another one is found there
   */
  async write(
    remote: ArchiveRemote,
    { digest, ...target }: ArchiveTarget & { readonly digest: string },
    caller: WorkCaller,
  ): Promise<void> {
    const path = this.#path(remote, digest);
    if (await isFile(path)) {
      // Used just now: not to be swept away meanwhile.
      const nowSeconds = this.#options.clock.now() / 1000;
      await utimes(path, nowSeconds, nowSeconds);
    } else {
      const found = await this.fetch(remote, caller);
      if (found !== digest) throw checksumMismatch(`"${remote.url}"`, digest, found);
    }
    const { reaper } = this.#options;
    await unpackArchive(path, { ...target, reaper, signal: caller.signal });
  }

  /**
   * Unpacks an archive that was uploaded.
   *
   * @throws ArtifactError `SourceNotFound` when it is not there
   */
  async writeFile(path: string, target: ArchiveTarget, { signal }: WorkCaller): Promise<void> {
    if (!(await isFile(path))) {
      const message = 'Cannot find the artifact: found no such upload in this namespace';
      throw new ArtifactError('SourceNotFound', `${message}, expected one`, {
        retry: 'later',
        remedy: 'fnlet deploy uploads a directory and refers to it.',
      });
    }
    await unpackArchive(path, { ...target, reaper: this.#options.reaper, signal });
  }

  /** Unpacks an archive that is given as bytes. */
  async writeBytes(
    bytes: Uint8Array,
    target: ArchiveTarget,
    { signal }: WorkCaller,
  ): Promise<void> {
    const staging = await mkdtemp(join(this.#options.directory, stagingPrefix));
    try {
      const path = join(staging, 'archive');
      await writeFile(path, bytes, { mode: 0o600 });
      await unpackArchive(path, { ...target, reaper: this.#options.reaper, signal });
    } finally {
      await rm(staging, { recursive: true, force: true });
    }
  }

  #path({ scope }: ArchiveRemote, digest: string): string {
    const prefix = scope === '' ? '' : `${sha256(scope).slice(0, 16)}-`;
    return join(this.#options.directory, prefix + digest);
  }

  /** Removes what nobody has used for a while: it is unpacked by then. */
  async sweep(): Promise<void> {
    const { directory, clock } = this.#options;
    for (const name of readdirSync(directory)) {
      const path = join(directory, name);
      const found = await stat(path).catch(() => undefined);
      const isUsed = (found?.mtimeMs ?? 0) > clock.now() - limits.archiveKeptMs;
      if (!name.startsWith(stagingPrefix) && !isUsed) await rm(path, { force: true });
    }
  }
}

async function isFile(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isFile() === true;
}
