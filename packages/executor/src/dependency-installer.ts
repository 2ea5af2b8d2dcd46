/**
 * Owns the installed npm dependencies: one directory for each digest of a lock, shared by every
 * artifact that has this lock, and the locks that were made for manifests without one.
 *
 *     <directory>/locks/<digest of manifest>.json     what npm once decided
 *     <directory>/<digest of lock>/node_modules       installed, complete, never changed
 *     <directory>/staging-…/                          being installed; of no worth after a crash
 *
 * I1. A directory appears under its digest by one rename, when it is complete.
 * I2. At most one run of npm per digest, and a bounded number of them at once.
 * I3. What is installed is found without npm and without a network.
 */
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, canonicalJson, hasCode, sha256 } from '@fnlet/base';
import { ArtifactError } from './artifact-error.ts';
import type { DependencyManifest } from './dependency-manifest.ts';
import { InstallSlots } from './install-slots.ts';
import { limits } from './limits.ts';
import { type Environment, findNpm, npmEnvironment } from './npm-command.ts';
import { runNpm } from './npm-run.ts';
import type { Reaper } from './reaper.ts';
import { SharedWork, type WorkCaller } from './shared-work.ts';

export interface DependencyInstallerOptions {
  /** Where everything is kept; it has one owner at a time. */
  readonly directory: string;
  /** Variables of this process; npm is given few of them. */
  readonly environment: Environment;
  readonly reaper: Reaper;
  readonly clock: Clock;
}

/** What is to be installed. */
export interface DependencySource {
  readonly manifest: DependencyManifest;
  /** Text of a package-lock.json. Default: npm decides once, then that is kept. */
  readonly lock?: string | undefined;
  /** Text of an .npmrc, such as registries and their credentials. */
  readonly npmrc?: string | undefined;
  /** Whether packages may run programs of their own while they are installed. Default false. */
  readonly allowInstallScripts?: boolean | undefined;
}

/** Installs npm dependencies once. */
export interface DependencyInstaller {
  /**
   * The directory whose `node_modules` has the dependencies.
   *
   * @throws ArtifactError `DependencyNotFound`, `RegistryUnreachable`, `InstallFailed`
   */
  install(source: DependencySource, caller: WorkCaller): Promise<string>;
  /** Removes all installed directories that are not in `keep`. */
  sweep(keep: ReadonlySet<string>): Promise<void>;
}

const stagingPrefix = 'staging-';
const always = ['--no-audit', '--no-fund', '--no-update-notifier', '--no-progress'];
// A retry is for whoever asked, who can tell the user meanwhile; npm alone would wait a minute.
const patience = ['--fetch-retries=1', '--fetch-retry-mintimeout=500', '--fetch-timeout=30000'];
// Lines about each fetched package are the only progress that npm tells without a terminal.
const told = ['--loglevel=http', '--install-links', '--omit=dev'];

export function createDependencyInstaller(
  options: DependencyInstallerOptions,
): DependencyInstaller {
  const { directory } = options;
  mkdirSync(join(directory, 'locks'), { recursive: true, mode: 0o700 });
  for (const name of readdirSync(directory)) {
    if (name.startsWith(stagingPrefix)) rmSync(join(directory, name), { recursive: true });
  }
  const installer = new Installer(options);
  return {
    install: (source, caller) => installer.install(source, caller),
    sweep: (keep) => installer.sweep(keep),
  };
}

class Installer {
  readonly #options: DependencyInstallerOptions;
  readonly #slots = new InstallSlots(limits.installsMax, limits.installsWaitingMax);
  readonly #work = new SharedWork<string>();

  constructor(options: DependencyInstallerOptions) {
    this.#options = options;
  }

  async install(source: DependencySource, caller: WorkCaller): Promise<string> {
    const lock = source.lock ?? (await this.#lockOf(source, caller));
    const digest = sha256(
      canonicalJson({
        lock,
        // Whether a lock that was given fits is for npm to say.
        manifest: source.lock === undefined ? undefined : source.manifest,
        npmrc: source.npmrc,
        scripts: source.allowInstallScripts === true,
        // Packages with native code differ by these.
        platform: [process.platform, process.arch, process.versions.modules],
      }),
    );
    const target = join(this.#options.directory, digest);
    if (existsSync(target)) return target;
    return this.#work.run(digest, caller, async (run) => {
      await this.#stage({ ...source, lock }, run, async (staging) => {
        const scripts = source.allowInstallScripts === true ? [] : ['--ignore-scripts'];
        run.onProgress('Installing dependencies');
        await this.#npm(['ci', '--prefer-offline', ...scripts], staging, run);
        // Credentials stay with whoever gave them.
        await rm(join(staging, '.npmrc'), { force: true });
        await rename(staging, target);
      });
      return target;
    });
  }

  async sweep(keep: ReadonlySet<string>): Promise<void> {
    const { directory } = this.#options;
    for (const name of readdirSync(directory)) {
      const path = join(directory, name);
      const installed = name !== 'locks' && !name.startsWith(stagingPrefix);
      if (!installed || keep.has(path) || this.#work.has(name)) continue;
      await rm(path, { recursive: true, force: true });
    }
  }

  async #lockOf(source: DependencySource, caller: WorkCaller): Promise<string> {
    const { dependencies, optionalDependencies, overrides } = source.manifest;
    const decides = { dependencies, optionalDependencies, overrides, npmrc: source.npmrc };
    const digest = sha256(canonicalJson(decides));
    const path = join(this.#options.directory, 'locks', `${digest}.json`);
    const known = await tryRead(path);
    if (known !== undefined) return known;
    return this.#work.run(`lock ${digest}`, caller, (run) =>
      this.#stage(source, run, async (staging) => {
        run.onProgress('Deciding on versions of dependencies');
        await this.#npm(['install', '--package-lock-only', '--ignore-scripts'], staging, run);
        const lock = join(staging, 'package-lock.json');
        const text = await readFile(lock, 'utf8');
        await rename(lock, path);
        return text;
      }),
    );
  }

  /** Runs `work` in a directory that has what npm reads, and removes what is left of it. */
  #stage<T>(
    source: DependencySource,
    run: Required<WorkCaller>,
    work: (staging: string) => Promise<T>,
  ): Promise<T> {
    return this.#slots.run(run.signal, async () => {
      const staging = await mkdtemp(join(this.#options.directory, stagingPrefix));
      try {
        await writeFile(join(staging, 'package.json'), formatPackageJson(source));
        if (source.lock !== undefined) {
          await writeFile(join(staging, 'package-lock.json'), source.lock);
        }
        if (source.npmrc !== undefined) {
          await writeFile(join(staging, '.npmrc'), source.npmrc, { mode: 0o600 });
        }
        return await work(staging);
      } finally {
        await rm(staging, { recursive: true, force: true });
      }
    });
  }

  #npm(args: readonly string[], staging: string, run: Required<WorkCaller>): Promise<void> {
    const { environment, reaper, clock } = this.#options;
    const command = findNpm(environment);
    if (command === undefined) {
      const message = 'Cannot install dependencies: npm was not found, expected it on the path';
      throw new ArtifactError('InstallFailed', message, { remedy: 'Install npm.' });
    }
    return runNpm({
      command,
      arguments: [...args, '--prefix', staging, ...always, ...patience, ...told],
      directory: staging,
      environment: npmEnvironment(environment),
      reaper,
      clock,
      signal: run.signal,
      onProgress: (line) => run.onProgress(line.replace(/^npm /, '')),
    });
  }
}

function formatPackageJson({ manifest, lock }: DependencySource): string {
  const { devDependencies, peerDependencies, ...installed } = manifest;
  const entries = lock === undefined ? installed : manifest;
  return JSON.stringify({ name: 'function', version: '0.0.0', private: true, ...entries });
}

async function tryRead(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}
