/**
 * Owns the prepared sources, one directory for each digest of everything that goes into one:
 *
 *     <directory>/<digest>/     an artifact, as artifact-directory.ts lays it out
 *     <directory>/staging-…/    being written; of no worth after a crash
 *
 * I1. A directory appears under its digest by one rename, when it is complete. Nothing in it ever
 *     changes.
 * I2. Each is checked against its digests when it is asked for the first time in the life of this
 *     process, and again when a file of it was touched since; one that is damaged, by a power
 *     failure for example, is made again.
 */
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { canonicalJson, type Logger, sha256 } from '@fnlet/base';
import type { Compatibility } from '@fnlet/invocation';
import { type DependencyNeeds, readNeeds } from './artifact-dependencies.ts';
import {
  completeArtifact,
  findLinkedModules,
  fingerprintArtifact,
  isComplete,
  type LinkedDependencies,
  linkDependencies,
  verifyArtifact,
  writeArtifact,
} from './artifact-directory.ts';
import type { ArtifactBucket, KeptPackages } from './bucket/artifact-bucket.ts';
import { dependencyFolders } from './dependency-folder.ts';
import type { DependencyInstaller } from './dependency-installer.ts';
import type { NodeProgram } from './npm-installer.ts';
import type { PythonProgram } from './pip-command.ts';
import { SharedWork, type WorkCaller } from './shared-work.ts';
import type { SourceTree } from './source/source-tree.ts';
import { makeRunnable, readImporters, readManifests } from './source/tree-files.ts';
import { assertSourceFiles, type SourceFiles } from './source-files.ts';
import { isTypeScript, stripTypes } from './strip-types.ts';

export interface ArtifactStoreOptions {
  /** Where artifacts are kept; it has one owner at a time. */
  readonly directory: string;
  readonly dependencies: DependencyInstaller;
  /** Artifacts are kept there, too. Default: they are made again when they are lost. */
  readonly bucket?: ArtifactBucket | undefined;
  readonly logger: Logger;
}

/** What an artifact is made of; all of it counts for its digest. */
export interface ArtifactSource {
  /** The files themselves; none where there is a tree. */
  readonly files: SourceFiles;
  /** Files that are elsewhere; they are fetched when the artifact is not there yet. */
  readonly tree?: SourceTree | undefined;
  /** The system whose images had packages that need not be declared. */
  readonly compatibility?: Compatibility | undefined;
  /** For code for Node: the one that runs the programs of its packages. Default: this one. */
  readonly node?: NodeProgram | undefined;
  /** For code in Python: the one that runs it. Default: it is code for Node. */
  readonly python?: PythonProgram | undefined;
  /**
   * A package.json or a map of names to versions; for Python a requirements.txt. Default: the
   * package.json, or requirements.txt, among the files.
   */
  readonly dependencies?: string | undefined;
  /** Whether packages may run programs while they are installed. Default false. */
  readonly allowInstallScripts?: boolean | undefined;
  /** Text of an .npmrc; it is used and not kept. */
  readonly npmrc?: string | undefined;
  /** Text of a pip.conf; it is used and not kept. */
  readonly pipConf?: string | undefined;
}

export interface Artifact {
  /** Absolute path of the directory that has the source files. */
  readonly directory: string;
  readonly digest: string;
}

/** Makes sources ready to run. */
export interface ArtifactStore {
  /**
   * The artifact of this source; made when it is not there yet. Calls for equal sources share one
   * making. TypeScript files hold JavaScript in it, under their own names.
   *
   * @throws ArtifactError
   */
  prepare(source: ArtifactSource, caller: WorkCaller): Promise<Artifact>;
  has(digest: string): boolean;
  /** Removes artifacts that are not in `keep`, and dependencies that none of the rest uses. */
  sweep(keep: ReadonlySet<string>): Promise<void>;
}

const stagingPrefix = 'staging-';
// Counts up when the same source would become something else.
const format = 1;

export function createArtifactStore(options: ArtifactStoreOptions): ArtifactStore {
  const root = resolve(options.directory);
  mkdirSync(root, { recursive: true, mode: 0o700 });
  for (const name of readdirSync(root)) {
    if (name.startsWith(stagingPrefix)) rmSync(join(root, name), { recursive: true });
  }
  const store = new Artifacts({ ...options, directory: root });
  return {
    prepare: (source, caller) => store.prepare(source, caller),
    has: (digest) => store.has(digest),
    sweep: (keep) => store.sweep(keep),
  };
}

class Artifacts {
  readonly #options: ArtifactStoreOptions;
  readonly #work = new SharedWork<Artifact>();
  /** What the files of an artifact looked like when they were checked. */
  readonly #verified = new Map<string, string>();

  constructor(options: ArtifactStoreOptions) {
    this.#options = options;
  }

  async prepare(source: ArtifactSource, caller: WorkCaller): Promise<Artifact> {
    assertSourceFiles(source.files);
    const { files, dependencies, npmrc, pipConf, allowInstallScripts, compatibility } = source;
    const tree = source.tree?.identity;
    const python = source.python?.name;
    // The version of the type stripper is part of what comes out.
    const node = runsOnNode(source) ? process.version : undefined;
    const scriptsOn = source.node?.name;
    const content = { files, tree, compatibility, dependencies, npmrc, pipConf };
    const parts = { format, node, scriptsOn, python, ...content };
    const digest = sha256(canonicalJson({ ...parts, scripts: allowInstallScripts === true }));
    return this.#work.run(digest, caller, (run) => this.#prepare(digest, source, run));
  }

  has(digest: string): boolean {
    return isComplete(join(this.#options.directory, digest));
  }

  async sweep(keep: ReadonlySet<string>): Promise<void> {
    const used = new Set<string>();
    for (const name of readdirSync(this.#options.directory)) {
      if (name.startsWith(stagingPrefix)) continue;
      const path = join(this.#options.directory, name);
      if (keep.has(name) || this.#work.has(name)) {
        const modules = await findLinkedModules(path);
        if (modules !== undefined) used.add(dirname(modules));
      } else {
        this.#verified.delete(name);
        await rm(path, { recursive: true, force: true });
      }
    }
    await this.#options.dependencies.sweep(used);
    await this.#options.bucket?.sweep(keep);
  }

  async #prepare(
    digest: string,
    source: ArtifactSource,
    run: Required<WorkCaller>,
  ): Promise<Artifact> {
    const { directory, logger } = this.#options;
    const target = join(directory, digest);
    const artifact: Artifact = { directory: join(target, 'source'), digest };
    if (await this.#isWhole(digest)) {
      await this.#keep(digest);
      return artifact;
    }
    const staging = await mkdtemp(join(directory, stagingPrefix));
    try {
      if (!(await this.#restore(staging, digest, run))) await this.#make(staging, source, run);
      if (existsSync(target)) {
        logger.warn('An artifact was damaged and is made again', { digest });
        await rm(target, { recursive: true });
      }
      await rename(staging, target);
    } finally {
      await rm(staging, { recursive: true, force: true });
    }
    await this.#keep(digest);
    return artifact;
  }

  #make(staging: string, source: ArtifactSource, run: Required<WorkCaller>): Promise<void> {
    const { tree } = source;
    if (tree === undefined) return this.#write(staging, source, run);
    return this.#fetch(staging, { ...source, tree }, run);
  }

  /** Brings it from the bucket, with its packages; else leaves an empty directory. */
  async #restore(staging: string, digest: string, run: Required<WorkCaller>): Promise<boolean> {
    const { bucket, dependencies } = this.#options;
    if (bucket === undefined) return false;
    const found = await bucket.restoreArtifact(digest, staging, run.signal);
    if (found !== undefined) {
      const { packages } = found;
      const installed = packages && (await dependencies.restored(packages.name, run));
      const isLinked = packages === undefined || installed !== undefined;
      if (packages !== undefined && installed !== undefined) {
        const { folder } = packages;
        await linkDependencies(staging, { directory: this.#relative(installed), folder });
      }
      if (isLinked && (await verifyArtifact(staging))) return true;
    }
    await rm(staging, { recursive: true, force: true });
    await mkdir(staging);
    return false;
  }

  /** Has it kept in the bucket. */
  async #keep(digest: string): Promise<void> {
    const { bucket, directory } = this.#options;
    if (bucket === undefined) return;
    const target = join(directory, digest);
    const modules = await findLinkedModules(target);
    bucket.keepArtifact(digest, target, modules === undefined ? undefined : packagesAt(modules));
  }

  #relative(installed: string): string {
    return relative(join(this.#options.directory, 'digest', 'source'), installed);
  }

  async #write(staging: string, source: ArtifactSource, run: Required<WorkCaller>): Promise<void> {
    const needs = readNeeds(source);
    // Before anything is installed: a mistake in the code should be told at once.
    const files = toRunnable(source, needs);
    await writeArtifact(staging, files, await this.#install(needs, run));
  }

  async #fetch(
    staging: string,
    source: ArtifactSource & { readonly tree: SourceTree },
    run: Required<WorkCaller>,
  ): Promise<void> {
    const directory = join(staging, 'source');
    await mkdir(directory);
    await source.tree.write(directory, run);
    const manifests = await readManifests(directory, source.dependencies);
    const importers = source.compatibility === undefined ? {} : await readImporters(directory);
    const needs = readNeeds({ ...source, files: { ...importers, ...manifests } });
    const { packageJson } = needs;
    const digests = await makeRunnable(directory, { packageJson, runsOnNode: runsOnNode(source) });
    await completeArtifact(staging, digests, await this.#install(needs, run));
  }

  async #install(
    { wanted, folder }: DependencyNeeds,
    run: Required<WorkCaller>,
  ): Promise<LinkedDependencies | undefined> {
    if (wanted === undefined) return undefined;
    const installed = await this.#options.dependencies.install(wanted, run);
    return { directory: this.#relative(installed), folder };
  }

  async #isWhole(digest: string): Promise<boolean> {
    const path = join(this.#options.directory, digest);
    if (!isComplete(path)) return false;
    const modules = await findLinkedModules(path);
    if (modules !== undefined && !existsSync(modules)) return false;
    // Taken first: what is written while the digests are compared shows the next time.
    const looks = await fingerprintArtifact(path);
    if (looks === undefined) return false;
    if (this.#verified.get(digest) === looks) return true;
    if (!(await verifyArtifact(path))) return false;
    this.#verified.set(digest, looks);
    return true;
  }
}

/** @param modules as an artifact links them */
function packagesAt(modules: string): KeptPackages | undefined {
  const folder = dependencyFolders.find((name) => name === basename(modules));
  return folder && { name: basename(dirname(modules)), folder };
}

function runsOnNode({ python }: ArtifactSource): boolean {
  return python === undefined;
}

/** The files as they are run. */
function toRunnable(source: ArtifactSource, { packageJson }: DependencyNeeds): Map<string, string> {
  const files = new Map<string, string>();
  for (const [path, content] of Object.entries(source.files)) {
    const isStripped = runsOnNode(source) && isTypeScript(path);
    files.set(path, isStripped ? stripTypes(path, content) : content);
  }
  // A whole package.json says how the code is loaded, too, wherever it was given.
  if (packageJson !== undefined && !files.has('package.json')) {
    files.set('package.json', packageJson);
  }
  return files;
}
