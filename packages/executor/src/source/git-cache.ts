/**
 * Owns the bare repositories that commits are fetched into, one for each URL and whom it is
 * fetched for:
 *
 *     <directory>/<digest of both>/     a bare repository with shallow commits
 *     <directory>/access-…/             credentials of one run of git; of no worth after a crash
 *
 * I1. One use of a repository at a time. What a killed git left there is removed before the next.
 * I2. All of it can be lost at any time: it is fetched again.
 * I3. What was fetched with credentials is for those only who have the same.
 */
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { type Clock, sha256, sleep } from '@fnlet/base';
import { ArtifactError } from '../artifact-error.ts';
import { limits } from '../limits.ts';
import type { Environment } from '../npm-command.ts';
import type { Reaper } from '../reaper.ts';
import type { WorkCaller } from '../shared-work.ts';
import { accessPrefix, withGitAccess } from './git-access.ts';
import { parseGitCredentials, type SecretValues } from './git-credentials.ts';
import { noCommit } from './git-failure.ts';
import { parseGitUrl } from './git-location.ts';
import { findCommit, isCommit, parseReferences, referenceNames } from './git-references.ts';
import { lastUseMs, prepareRepository, repositoryBytes } from './git-repository.ts';
import { runGit } from './git-run.ts';
import { withGitWay } from './git-way.ts';
import type { FindService } from './service-route.ts';
import { treeTooLarge } from './tree-error.ts';
import { unpackTarStream } from './unpack-archive.ts';

export interface GitCacheOptions {
  readonly directory: string;
  readonly environment: Environment;
  /** Knows the hosts that are Services. Default: none is. */
  readonly findService?: FindService | undefined;
  readonly reaper: Reaper;
  readonly clock: Clock;
}

/** A repository and what it is reached with. */
export interface GitRemote {
  readonly url: string;
  /** Names the Secret, so that what it opens is for its owners only; empty without one. */
  readonly scope: string;
  /** The values of the Secret; `undefined` where none is named. */
  readonly secret: SecretValues | undefined;
}

/** One directory of one commit. */
export interface GitTree {
  readonly commit: string;
  /** Empty for the root. */
  readonly directory: string;
}

interface Step<T> {
  readonly arguments: readonly string[];
  readonly timeoutMs: number;
  read(output: Readable): Promise<T>;
}

/** Runs git with access to the server. */
type Run = <T>(step: Step<T>) => Promise<T>;

/** One repository in use (I1). */
interface Use {
  readonly remote: GitRemote;
  readonly repository: string;
  readonly caller: WorkCaller;
}

export class GitCache {
  readonly #options: GitCacheOptions;
  /** What the next use of each repository waits for. */
  readonly #busy = new Map<string, Promise<unknown>>();

  constructor(options: GitCacheOptions) {
    const { directory } = options;
    this.#options = options;
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    for (const name of readdirSync(directory)) {
      if (name.startsWith(accessPrefix)) rmSync(join(directory, name), { recursive: true });
    }
  }

  /**
   * The commits that references of a repository point to now, with one question for all. Those
   * that it does not have are left out; `undefined` is what its HEAD points to.
   *
   * @throws ArtifactError
   */
  async resolve(
    remote: GitRemote,
    references: readonly (string | undefined)[],
    caller: WorkCaller,
  ): Promise<ReadonlyMap<string | undefined, string>> {
    const open = references.filter((name) => name === undefined || !isCommit(name));
    const found = open.length === 0 ? '' : await this.#list(remote, open, caller);
    const known = parseReferences(found);
    return new Map(
      references.flatMap((name) => {
        const own = name !== undefined && isCommit(name) ? name.toLowerCase() : undefined;
        const commit = own ?? findCommit(known, name);
        return commit === undefined ? [] : [[name, commit] as const];
      }),
    );
  }

  /**
   * Writes one directory of a commit into an empty directory; the commit is fetched when it is not
   * here.
   *
   * @throws ArtifactError
   */
  async write(
    remote: GitRemote,
    tree: GitTree & { readonly target: string },
    caller: WorkCaller,
  ): Promise<void> {
    const name = sha256(JSON.stringify([remote.url, remote.scope]));
    const repository = join(this.#options.directory, name);
    const use = { remote, repository, caller };
    await this.#alone(use, async () => {
      try {
        await this.#read(use, tree);
      } catch (error) {
        if (!isDamage(error)) throw error;
        // I2
        await rm(repository, { recursive: true, force: true });
        await this.#read(use, tree);
      }
    });
  }

  /** Removes the repositories that nobody has used for a while. */
  async sweep(): Promise<void> {
    const { directory, clock } = this.#options;
    for (const name of readdirSync(directory)) {
      const path = join(directory, name);
      if (name.startsWith(accessPrefix) || this.#busy.has(path)) continue;
      const usedMs = await lastUseMs(path);
      if (usedMs > clock.now() - limits.gitRepositoryKeptMs) continue;
      await rm(path, { recursive: true, force: true });
    }
  }

  #list(
    remote: GitRemote,
    references: readonly (string | undefined)[],
    caller: WorkCaller,
  ): Promise<string> {
    const names = new Set(references.flatMap(referenceNames));
    const use = { remote, repository: this.#options.directory, caller };
    return this.#access(use, (run) =>
      run({
        arguments: ['ls-remote', '--', remote.url, ...names],
        timeoutMs: limits.gitAskMs,
        read: readReferences,
      }),
    );
  }

  async #read(use: Use, tree: GitTree & { readonly target: string }): Promise<void> {
    await prepareRepository(use.repository, this.#options.clock.now());
    if (!(await this.#has(use, tree.commit))) await this.#fetch(use, tree.commit);
    await this.#unpack(use, tree);
  }

  async #fetch(use: Use, commit: string): Promise<void> {
    const { url } = use.remote;
    const end = new AbortController();
    const signal = AbortSignal.any([use.caller.signal, end.signal]);
    void this.#watchSize(use.repository, end);
    const watched = { ...use, caller: { ...use.caller, signal } };
    const target = `+${commit}:refs/commits/${commit}`;
    try {
      await this.#access(watched, async (run) => {
        try {
          await run(fetchStep(url, ['--depth=1'], [target]));
        } catch (error) {
          signal.throwIfAborted();
          // Old servers give only what a reference points to, dumb ones nothing shallow.
          await run(fetchStep(url, [], everything)).catch(() => {
            throw error;
          });
        }
      });
    } finally {
      end.abort(fetched);
    }
    if (!(await this.#has(use, commit))) throw noCommit(url, commit);
  }

  /** Ends a fetch that fills the disk. */
  async #watchSize(repository: string, end: AbortController): Promise<void> {
    const { clock } = this.#options;
    while (await sleep(clock, limits.gitRepositoryLookMs, end.signal)) {
      if ((await repositoryBytes(repository)) <= limits.gitRepositoryBytesMax) continue;
      const expected = `at most ${limits.gitRepositoryBytesMax / 1_073_741_824} GiB`;
      end.abort(treeTooLarge('a larger repository', expected));
    }
  }

  async #has({ remote, repository, caller }: Use, commit: string): Promise<boolean> {
    try {
      // Without access: what is not here must not be fetched piece by piece. Nobody need be told.
      await this.#run(
        { remote, repository, caller: { signal: caller.signal } },
        {
          arguments: ['cat-file', '-e', `${commit}^{commit}`],
          timeoutMs: limits.gitAskMs,
          read: drain,
        },
        this.#offline(),
      );
      return true;
    } catch {
      caller.signal.throwIfAborted();
      return false;
    }
  }

  async #unpack(use: Use, tree: GitTree & { readonly target: string }): Promise<void> {
    const { commit, directory, target } = tree;
    const { signal } = use.caller;
    const step = {
      arguments: ['archive', '--format=tar', `${commit}:${directory}`],
      timeoutMs: limits.gitFetchMs,
      read: (output: Readable) => unpackTarStream(output, { target, directory: '', signal }),
    };
    await this.#run(use, step, this.#offline());
  }

  /** One use of a repository after the other. */
  async #alone(use: Use, work: () => Promise<void>): Promise<void> {
    const { repository, caller } = use;
    const before = this.#busy.get(repository);
    const left = Promise.withResolvers<void>();
    const mine = Promise.allSettled([before, left.promise]);
    this.#busy.set(repository, mine);
    try {
      await untilAborted(before, caller.signal);
      await work();
    } finally {
      left.resolve();
      if (this.#busy.get(repository) === mine) this.#busy.delete(repository);
    }
  }

  async #access<T>(use: Use, work: (run: Run) => Promise<T>): Promise<T> {
    const { url, secret } = use.remote;
    const location = parseGitUrl(url);
    if (location === undefined) {
      const expected = 'expected https://, http://, ssh:// or user@host:path';
      throw new ArtifactError('SourceNotFound', `Cannot use repository "${url}": ${expected}`);
    }
    const credentials = secret === undefined ? {} : parseGitCredentials(secret, location);
    const { directory, environment, findService } = this.#options;
    const { signal } = use.caller;
    return withGitWay({ url, location, findService, signal }, (way) =>
      withGitAccess({ directory, location, credentials, environment, way }, (env) =>
        work((step) => this.#run(use, step, env)),
      ),
    );
  }

  #run<T>(use: Use, step: Step<T>, environment: Readonly<Record<string, string>>): Promise<T> {
    const { reaper, clock } = this.#options;
    const { signal, onProgress = () => {} } = use.caller;
    const { arguments: words, timeoutMs } = step;
    return runGit(
      {
        url: use.remote.url,
        arguments: words,
        directory: use.repository,
        environment,
        timeoutMs,
        reaper,
        clock,
        signal,
        onProgress,
      },
      (output) => step.read(output),
    );
  }

  #offline(): Readonly<Record<string, string>> {
    const { environment } = this.#options;
    return {
      PATH: environment.PATH ?? '',
      HOME: this.#options.directory,
      LC_ALL: 'C',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_ATTR_NOSYSTEM: '1',
      GIT_NO_LAZY_FETCH: '1',
    };
  }
}

/** Why a fetch is watched no longer. */
const fetched = new Error('The fetch is over');

const everything = ['+refs/heads/*:refs/remotes/heads/*', '+refs/tags/*:refs/remotes/tags/*'];

function fetchStep(
  url: string,
  options: readonly string[],
  references: readonly string[],
): Step<void> {
  const always = ['--progress', '--no-tags', '--no-write-fetch-head', '--no-recurse-submodules'];
  return {
    arguments: ['fetch', ...always, ...options, '--', url, ...references],
    timeoutMs: limits.gitFetchMs,
    read: drain,
  };
}

async function drain(output: Readable): Promise<void> {
  for await (const _ of output);
}

async function readReferences(output: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of output) {
    if (!(chunk instanceof Buffer)) continue;
    bytes += chunk.length;
    if (bytes > limits.gitReferencesBytesMax) throw treeTooLarge('a flood of references', 'a few');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

async function untilAborted(before: Promise<unknown> | undefined, signal: AbortSignal) {
  if (before === undefined) return;
  const aborted = Promise.withResolvers<never>();
  const abort = (): void => aborted.reject(signal.reason);
  signal.throwIfAborted();
  signal.addEventListener('abort', abort, { once: true });
  try {
    await Promise.race([before, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** What git cannot make sense of, in its words; nothing was unpacked then. */
function isDamage(error: unknown): boolean {
  const said = error instanceof ArtifactError ? error.message : '';
  return /not a git repository|corrupt|bad object|loose object|unable to read tree/.test(said);
}
