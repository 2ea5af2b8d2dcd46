/**
 * Turns Revisions into something that can be started, and remembers those that serve.
 *
 * I1. What is known was prepared in this life of the process, or found complete on disk.
 * I2. Nothing is prepared before somebody needs it: thousands of sleeping Functions cost nothing.
 */
import { builtinRuntimes, type KnownRuntime, type RevisionObject } from '@fnlet/api';
import type {
  ArtifactStore,
  InstanceMount,
  MountDirectories,
  PythonProgram,
  RunnableRevision,
  RuntimeCommand,
} from '@fnlet/executor';
import { formatObjectKey, type ObjectKey, objectKey } from '@fnlet/machinery';
import type { Configuration, PlannedMount } from './configuration-reader.ts';
import { FunctionsError } from './functions-error.ts';
import { planRunnable } from './plan-runnable.ts';
import type { RuntimeKeeper } from './runtime-keeper.ts';
import type { SourceTrees } from './source/source-trees.ts';

interface Loaded {
  readonly runnable: RunnableRevision;
  /** Digest of its artifact. */
  readonly artifact: string;
  readonly mounts: readonly PlannedMount[];
}

export interface LoadOptions {
  readonly signal: AbortSignal;
  readonly onProgress?: (line: string) => void;
  /** The Revision as the API has it, where it is still being written. Default: it is. */
  readonly recorded?: Promise<RevisionObject>;
}

export interface RevisionLoaderOptions {
  readonly artifacts: Pick<ArtifactStore, 'prepare'>;
  readonly trees: Pick<SourceTrees, 'of'>;
  readonly runtimes: Pick<RuntimeKeeper, 'resolve' | 'prepare'>;
  /** Where the files of mounts are. Default: Instances are Pods, which have volumes. */
  readonly mounts?: MountDirectories | undefined;
  /** Whether there are Instances of a Revision. */
  readonly isRunning: (revisionId: string) => boolean;
  readonly bodyBytesMax: number;
  /** Nothing that is known runs on this runtime any more. */
  readonly onRuntimeUnused: (name: string) => void;
}

export class RevisionLoader {
  readonly #options: RevisionLoaderOptions;
  readonly #loaded = new Map<string, Loaded>();
  /** How many known Revisions run on each runtime. */
  readonly #onRuntime = new Map<string, number>();
  /** Revisions that are forgotten, while Instances that drain still see their mounts. */
  readonly #left = new Set<string>();
  #loading = 0;

  constructor(options: RevisionLoaderOptions) {
    this.#options = options;
  }

  /** The Revision with this id, if it can be started at once. */
  known(revisionId: string): RunnableRevision | undefined {
    return this.#loaded.get(revisionId)?.runnable;
  }

  /** Digest of the artifact of a Revision that is known. */
  artifactOf(revisionId: string): string | undefined {
    return this.#loaded.get(revisionId)?.artifact;
  }

  /** Digests of all artifacts in use, or `undefined` while some are being made. */
  artifacts(): ReadonlySet<string> | undefined {
    if (this.#loading > 0) return undefined;
    return new Set([...this.#loaded.values()].map(({ artifact }) => artifact));
  }

  /**
   * Brings the runtime of a Revision, its source, its packages and the files of its mounts, unless
   * they are there already.
   *
   * @throws FunctionsError `UnknownRuntime`, RuntimeError, ArtifactError, ExecutorError, and what
   *   `recorded` fails with
   */
  async load(
    revision: RevisionObject,
    { env, mounts: planned, registry }: Pick<Configuration, 'env' | 'mounts' | 'registry'>,
    { recorded = Promise.resolve(revision), ...caller }: LoadOptions,
  ): Promise<RunnableRevision> {
    const { dependencies, allowInstallScripts, compatibility } = revision.spec;
    const { artifacts, runtimes, bodyBytesMax } = this.#options;
    const runtime = this.#resolve(revision);
    const content = this.#options.trees.of(revision, runtime.fileName);
    this.#loading++;
    try {
      const { npmrc, pipConf } = registry;
      const own = isPython(runtime) ? { pipConf } : { npmrc };
      const wanted = { ...content, ...own, compatibility, dependencies, allowInstallScripts };
      const command = runtimes.prepare(runtime.name, caller);
      // Packages of Python, and those for Node that are compiled, are for the one that runs them.
      const forWhom = isPython(runtime)
        ? 'python'
        : allowInstallScripts && isNode(runtime) && 'node';
      const artifact = forWhom
        ? command.then((found) =>
            artifacts.prepare({ ...wanted, [forWhom]: programOf(found) }, caller),
          )
        : artifacts.prepare(wanted, caller);
      const [{ directory, digest }, stored, , mounts] = await Promise.all([
        artifact,
        recorded,
        command,
        this.#writeMounts(revision, planned),
      ]);
      const runnable = planRunnable({
        revision: stored,
        runsOn: runtime.name,
        env,
        mounts,
        sourceDirectory: directory,
        bodyBytesMax,
      });
      this.#remember({ runnable, artifact: digest, mounts: planned });
      return runnable;
    } finally {
      this.#loading--;
    }
  }

  /**
   * Shows the files of mounts, as they are now, to all Instances of a Function, of older Revisions
   * too.
   */
  async refresh(owner: ObjectKey, mounts: readonly PlannedMount[]): Promise<void> {
    const { mounts: directories } = this.#options;
    if (mounts.length === 0 || directories === undefined) return;
    for (const { runnable, mounts: shown } of [...this.#loaded.values()]) {
      if (runnable.namespace !== owner.namespace || runnable.function !== owner.name) continue;
      for (const [index, { content }] of shown.entries()) {
        const changed = mounts.find((mount) => mount.content === content);
        if (changed === undefined) continue;
        await directories.write(mountName(runnable.id, index), changed.files);
      }
    }
  }

  forget(revisionId: string): void {
    const known = this.#loaded.get(revisionId);
    if (known === undefined) return;
    this.#loaded.delete(revisionId);
    this.#countDown(known.runnable);
    if (known.mounts.length === 0) return;
    this.#left.add(revisionId);
    this.release(revisionId);
  }

  /** To be called when Instances have stopped: files that nobody sees any more are removed. */
  release(revisionId: string): void {
    const { mounts, isRunning } = this.#options;
    if (!this.#left.has(revisionId) || isRunning(revisionId)) return;
    this.#left.delete(revisionId);
    void mounts?.remove(revisionId);
  }

  #writeMounts(
    revision: RevisionObject,
    planned: readonly PlannedMount[],
  ): Promise<readonly InstanceMount[]> {
    const { mounts } = this.#options;
    if (mounts === undefined) return Promise.resolve([]);
    const id = formatObjectKey(objectKey(revision));
    this.#left.delete(id);
    return Promise.all(
      planned.map(async ({ path, files }, index) => {
        return { path, directory: await mounts.write(mountName(id, index), files) };
      }),
    );
  }

  #countDown({ runtime, runsOn = runtime }: RunnableRevision): void {
    const others = (this.#onRuntime.get(runsOn) ?? 1) - 1;
    this.#onRuntime.set(runsOn, others);
    if (others === 0) this.#options.onRuntimeUnused(runsOn);
  }

  #remember(loaded: Loaded): void {
    const { id, runtime, runsOn = runtime } = loaded.runnable;
    const before = this.known(id);
    // What takes the place of an earlier one may run on another runtime by now.
    if (before?.runsOn !== runsOn) {
      this.#onRuntime.set(runsOn, (this.#onRuntime.get(runsOn) ?? 0) + 1);
      if (before !== undefined) this.#countDown(before);
    }
    this.#loaded.set(id, loaded);
  }

  #resolve({ spec }: RevisionObject): KnownRuntime {
    const resolution = this.#options.runtimes.resolve(spec.runtime);
    if (resolution.kind === 'found') return resolution.runtime;
    throw new FunctionsError('UnknownRuntime', resolution.message);
  }
}

function isPython({ extensions }: KnownRuntime): boolean {
  return extensions.includes('.py');
}

function isNode(runtime: KnownRuntime): boolean {
  return builtinRuntimes.includes(runtime) && !isPython(runtime);
}

function programOf({ name, command }: RuntimeCommand): PythonProgram {
  const [program = name] = command;
  return { name, program };
}

function mountName(revisionId: string, index: number): string {
  return `${revisionId}/${index}`;
}
