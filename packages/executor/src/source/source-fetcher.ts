/**
 * The way to sources that are not in the Function itself: repositories, archives, uploads. What it
 * takes to fetch and unpack them is loaded when the first of them is asked for.
 */
import { join, posix } from 'node:path';
import { type Clock, sha256 } from '@fnlet/base';
import { ArtifactError } from '../artifact-error.ts';
import { InstallSlots } from '../install-slots.ts';
import { limits } from '../limits.ts';
import type { Environment } from '../npm-command.ts';
import type { Reaper } from '../reaper.ts';
import type { WorkCaller } from '../shared-work.ts';
import type { ArchiveCache, ArchiveRemote } from './archive-cache.ts';
import type { GitCache, GitRemote, GitTree } from './git-cache.ts';
import type { SecretValues } from './git-credentials.ts';
import type { FindService } from './service-route.ts';
import type { SourceTree } from './source-tree.ts';
import { checksumMismatch } from './tree-error.ts';
import { type UploadKey, UploadStore } from './upload-store.ts';

export interface SourceFetcherOptions {
  /** Where everything is kept; it has one owner at a time, and may be lost. */
  readonly directory: string;
  /** Where uploads are; they may not be lost. */
  readonly uploads: string;
  /** Variables of this process; git is given few of them. */
  readonly environment: Environment;
  /** Knows the hosts that are Services. Default: none is. */
  readonly findService?: FindService | undefined;
  readonly reaper: Reaper;
  readonly clock: Clock;
}

/** The Secret of a source, if it names one. */
export interface SourceAccess {
  /** Names the Secret: what it opens is for its owners only. Empty without one. */
  readonly scope: string;
  /** Called when something has to be fetched: what is here already needs no Secret. */
  readSecret(signal: AbortSignal): Promise<SecretValues | undefined>;
}

/** An archive that is given as bytes. */
export interface GivenArchive {
  readonly bytes: Uint8Array;
  /** What its digest in hex should be. Default: whatever it is. */
  readonly sha256: string | undefined;
}

export interface SourceFetcher {
  /**
   * The commits that references of a repository point to now; those that it does not have are left
   * out, and `undefined` is what its HEAD points to.
   *
   * @throws ArtifactError
   */
  resolveGit(
    remote: GitRemote,
    references: readonly (string | undefined)[],
    caller: WorkCaller,
  ): Promise<ReadonlyMap<string | undefined, string>>;
  /**
   * The digest of the archive that a URL leads to now.
   *
   * @throws ArtifactError
   */
  resolveArchive(remote: ArchiveRemote, caller: WorkCaller): Promise<string>;
  /** One directory of one commit. */
  gitTree(tree: GitTree & { readonly url: string }, access: SourceAccess): SourceTree;
  /** One directory of the archive with this digest. */
  archiveTree(
    tree: { readonly url: string; readonly digest: string; readonly directory: string },
    access: SourceAccess,
  ): SourceTree;
  /** One directory of an archive that is given as bytes, and is to have this digest. */
  bytesTree(archive: GivenArchive, directory: string): SourceTree;
  /** An archive that was uploaded to this namespace. */
  uploadedTree(upload: UploadKey): SourceTree;
  /**
   * Removes what was fetched and not been used for a while, and uploads that are not in `keep` (as
   * `namespace/digest`).
   */
  sweep(keep: ReadonlySet<string>): Promise<void>;
}

export function createSourceFetcher(options: SourceFetcherOptions): SourceFetcher {
  return new Fetcher(options);
}

interface Caches {
  readonly git: GitCache;
  readonly archives: ArchiveCache;
}

class Fetcher implements SourceFetcher {
  readonly #options: SourceFetcherOptions;
  readonly #slots = new InstallSlots(limits.fetchesMax, limits.fetchesWaitingMax, tooMany);
  readonly #uploads: UploadStore;
  #caches: Promise<Caches> | undefined;

  constructor(options: SourceFetcherOptions) {
    const { uploads: directory, clock } = options;
    this.#options = options;
    this.#uploads = new UploadStore({ directory, clock });
  }

  async resolveGit(
    remote: GitRemote,
    references: readonly (string | undefined)[],
    caller: WorkCaller,
  ): Promise<ReadonlyMap<string | undefined, string>> {
    const { git } = await this.#open();
    return this.#slots.run(caller.signal, () => git.resolve(remote, references, caller));
  }

  async resolveArchive(remote: ArchiveRemote, caller: WorkCaller): Promise<string> {
    const { archives } = await this.#open();
    return this.#slots.run(caller.signal, () => archives.fetch(remote, caller));
  }

  gitTree({ url, commit, ...tree }: GitTree & { readonly url: string }, access: SourceAccess) {
    const directory = plainDirectory(tree.directory);
    const write = async (target: string, caller: WorkCaller): Promise<void> => {
      const { git } = await this.#open();
      const secret = await access.readSecret(caller.signal);
      const remote = { url, scope: access.scope, secret };
      await git.write(remote, { commit, directory, target }, caller);
    };
    return this.#tree(JSON.stringify(['git', commit, directory, access.scope]), write);
  }

  archiveTree(
    tree: { readonly url: string; readonly digest: string; readonly directory: string },
    access: SourceAccess,
  ): SourceTree {
    const { url, digest } = tree;
    const directory = plainDirectory(tree.directory);
    const write = async (target: string, caller: WorkCaller): Promise<void> => {
      const { archives } = await this.#open();
      const secret = await access.readSecret(caller.signal);
      const remote = { url, scope: access.scope, secret };
      await archives.write(remote, { digest, directory, target }, caller);
    };
    return this.#tree(JSON.stringify(['archive', digest, directory, access.scope]), write);
  }

  bytesTree({ bytes, sha256: expected }: GivenArchive, below: string): SourceTree {
    const digest = sha256(bytes);
    const directory = plainDirectory(below);
    const write = async (target: string, caller: WorkCaller): Promise<void> => {
      if (expected !== undefined && expected !== digest) {
        throw checksumMismatch('the archive of the Function', expected, digest);
      }
      const { archives } = await this.#open();
      await archives.writeBytes(bytes, { directory, target }, caller);
    };
    return this.#tree(JSON.stringify(['archive', digest, directory, '']), write);
  }

  uploadedTree(upload: UploadKey): SourceTree {
    const { namespace, digest } = upload;
    const write = async (target: string, caller: WorkCaller): Promise<void> => {
      const { archives } = await this.#open();
      await archives.writeFile(this.#uploads.pathOf(upload), { directory: '', target }, caller);
    };
    return this.#tree(JSON.stringify(['upload', digest, namespace]), write);
  }

  async sweep(keep: ReadonlySet<string>): Promise<void> {
    await this.#uploads.sweep(keep);
    if (this.#caches === undefined) return;
    const { git, archives } = await this.#caches;
    await git.sweep();
    await archives.sweep();
  }

  #tree(identity: string, write: SourceTree['write']): SourceTree {
    return {
      identity,
      write: (target, { signal, onProgress }) => {
        const tell = (line: string): void => onProgress?.(`Fetching the source: ${line}`);
        return this.#slots.run(signal, () => write(target, { signal, onProgress: tell }));
      },
    };
  }

  #open(): Promise<Caches> {
    this.#caches ??= this.#load();
    return this.#caches;
  }

  async #load(): Promise<Caches> {
    const [git, archives] = await Promise.all([
      import('./git-cache.ts'),
      import('./archive-cache.ts'),
    ]);
    const { directory, ...rest } = this.#options;
    return {
      git: new git.GitCache({ ...rest, directory: join(directory, 'git') }),
      archives: new archives.ArchiveCache({ ...rest, directory: join(directory, 'archives') }),
    };
  }
}

/** As git and archives have it: without `./`, and empty for the root. */
function plainDirectory(directory: string): string {
  const plain = posix.normalize(directory).replace(/\/$/, '');
  return plain === '.' ? '' : plain;
}

function tooMany(waiting: number): ArtifactError {
  const message = `Cannot fetch the source: ${waiting} others wait, expected fewer`;
  const remedy = 'It is tried again when those are done.';
  return new ArtifactError('SourceUnreachable', message, { retry: 'later', remedy });
}
