import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { canonicalJson, sha256 } from '@fnlet/base';
import { ArtifactError } from './artifact-error.ts';
import type { DependencyManifest } from './dependency-manifest.ts';
import type { InstallDirectory } from './install-directory.ts';
import { type InstallerSetting, placeCache, runInstaller } from './installer-run.ts';
import { findNpm, npmEnvironment } from './npm-command.ts';
import { npmFailure } from './npm-failure.ts';
import { NpmOutput } from './npm-output.ts';
import { redactCredentials } from './redact-credentials.ts';
import type { WorkCaller } from './shared-work.ts';

/** Packages of npm that are to be installed. */
export interface NpmDependencies {
  readonly manifest: DependencyManifest;
  /** Text of a package-lock.json. Default: npm decides once, then that is kept. */
  readonly lock?: string | undefined;
  /** A lock that lacks something of the manifest: npm decides on that alone. */
  readonly lockToComplete?: string | undefined;
  /** Text of an .npmrc, such as registries and their credentials. */
  readonly npmrc?: string | undefined;
  /** Whether packages may run programs of their own while they are installed. Default false. */
  readonly allowInstallScripts?: boolean | undefined;
  /** The Node that those programs are run by, and compile for. Default: this one. */
  readonly node?: NodeProgram | undefined;
}

/** A Node that runs functions. */
export interface NodeProgram {
  /** Such as `nodejs22`. */
  readonly name: string;
  readonly program: string;
}

interface NpmSetting extends InstallerSetting {
  readonly npmrc: string | undefined;
  readonly cacheDirectory: string;
}

/** Whose npm decides where no program of packages runs. */
const usualRuntime = 'nodejs24';

const always = ['--no-audit', '--no-fund', '--no-update-notifier', '--no-progress'];
// A retry is for whoever asked, who can tell the user meanwhile; npm alone would wait a minute.
const patience = ['--fetch-retries=1', '--fetch-retry-mintimeout=500', '--fetch-timeout=30000'];
// Lines about each fetched package are the only progress that npm tells without a terminal.
const told = ['--loglevel=http', '--install-links', '--omit=dev'];

/**
 * The directory whose `node_modules` has these packages.
 *
 * @throws ArtifactError
 */
export async function installNpm(
  source: NpmDependencies,
  { directory, ...given }: InstallerSetting & { readonly directory: InstallDirectory },
  caller: WorkCaller,
): Promise<string> {
  const node = source.node?.program === process.execPath ? undefined : source.node;
  const { npmrc } = source;
  const setting = { ...given, npmrc, cacheDirectory: directory.cacheOf(npmrc) };
  const lock = source.lock ?? (await lockOf(source, directory, { ...setting, caller }));
  const digest = sha256(
    canonicalJson({
      lock,
      // Whether a lock that was given fits is for npm to say.
      manifest: source.lock === undefined ? undefined : source.manifest,
      npmrc,
      scripts: source.allowInstallScripts === true,
      // Packages with native code differ by these.
      platform: [process.platform, process.arch, node?.name ?? process.versions.modules],
    }),
  );
  return directory.installed(digest, caller, async (staging, run) => {
    await writeInputs(staging, { ...source, lock });
    const scripts = source.allowInstallScripts === true ? [] : ['--ignore-scripts'];
    run.onProgress('Installing dependencies');
    const texts = textsOf({ ...source, lock });
    await npm(['ci', '--prefer-offline', ...scripts], staging, { ...setting, texts, run, node });
    // Credentials stay with whoever gave them.
    await rm(join(staging, '.npmrc'), { force: true });
  });
}

function lockOf(
  source: NpmDependencies,
  directory: InstallDirectory,
  { caller, ...setting }: NpmSetting & { readonly caller: WorkCaller },
): Promise<string> {
  const { manifest, npmrc, lockToComplete } = source;
  const { dependencies, optionalDependencies, overrides } = manifest;
  const decides = { dependencies, optionalDependencies, overrides, npmrc, lockToComplete };
  const name = `${sha256(canonicalJson(decides))}.json`;
  return directory.lock(name, caller, async (staging, run) => {
    await writeInputs(staging, { ...source, lock: lockToComplete });
    run.onProgress('Deciding on versions of dependencies');
    const texts = textsOf({ ...source, lock: lockToComplete });
    const decide = ['install', '--package-lock-only', '--ignore-scripts'];
    await npm(decide, staging, { ...setting, texts, run });
    return readFile(join(staging, 'package-lock.json'), 'utf8');
  });
}

function textsOf(source: NpmDependencies): readonly (string | undefined)[] {
  return [source.npmrc, formatPackageJson(source), source.lock];
}

/** What npm reads. */
async function writeInputs(staging: string, source: NpmDependencies): Promise<void> {
  await writeFile(join(staging, 'package.json'), formatPackageJson(source));
  if (source.lock !== undefined) {
    await writeFile(join(staging, 'package-lock.json'), source.lock);
  }
  if (source.npmrc !== undefined) {
    await writeFile(join(staging, '.npmrc'), source.npmrc, { mode: 0o600 });
  }
}

function npm(
  args: readonly string[],
  staging: string,
  {
    run,
    node,
    texts,
    environment,
    findService,
    reaper,
    clock,
    npmrc,
    cacheDirectory,
    place,
  }: NpmSetting & {
    readonly texts: readonly (string | undefined)[];
    readonly run: Required<WorkCaller>;
    readonly node?: NodeProgram | undefined;
  },
): Promise<void> {
  const command = place === undefined ? findNpm(environment, node?.program) : ['npm'];
  if (command === undefined) {
    const message = 'Cannot install dependencies: npm was not found, expected it on the path';
    throw new ArtifactError('InstallFailed', message, { remedy: 'Install npm.' });
  }
  // Without credentials the cache of whoever started this process serves.
  const own = npmrc === undefined ? [] : ['--cache', cacheDirectory];
  const cache = place === undefined ? own : ['--cache', placeCache];
  const prefix = place === undefined ? staging : '.';
  return runInstaller({
    name: 'npm',
    runtime: node?.name ?? usualRuntime,
    command: [...command, ...args, '--prefix', prefix, ...cache, ...always, ...patience, ...told],
    directory: staging,
    environment: npmEnvironment(environment, node?.program),
    output: new NpmOutput(),
    // A registry may be told by the machine, too.
    texts: [...texts, environment.npm_config_registry],
    ...{ findService, reaper, clock, place },
    signal: run.signal,
    redact: redactCredentials(npmrc ?? ''),
    onProgress: (line) => run.onProgress(line.replace(/^npm /, '')),
    explain: npmFailure,
  });
}

function formatPackageJson({ manifest, lock }: NpmDependencies): string {
  const { devDependencies, peerDependencies, ...installed } = manifest;
  const entries = lock === undefined ? installed : manifest;
  return JSON.stringify({ name: 'function', version: '0.0.0', private: true, ...entries });
}
