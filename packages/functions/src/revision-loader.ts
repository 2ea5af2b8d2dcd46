/**
 * Turns Revisions into something that can be started, and remembers those that serve.
 *
 * I1. What is known was prepared in this life of the process, or found complete on disk.
 * I2. Nothing is prepared before somebody needs it: thousands of sleeping Functions cost nothing.
 */
import { type KnownRuntime, type RevisionObject, sourceFiles } from '@fnlet/api';
import type { ArtifactStore, RunnableRevision, Runtimes } from '@fnlet/executor';
import { FunctionsError } from './functions-error.ts';
import { planRunnable } from './plan-runnable.ts';
import type { RuntimeNames } from './runtime-names.ts';

interface Loaded {
  readonly runnable: RunnableRevision;
  /** Digest of its artifact. */
  readonly artifact: string;
}

export interface LoadOptions {
  readonly signal: AbortSignal;
  readonly onProgress?: (line: string) => void;
  /** The Revision as the API has it, where it is still being written. Default: it is. */
  readonly recorded?: Promise<RevisionObject>;
}

export interface RevisionLoaderOptions {
  readonly artifacts: Pick<ArtifactStore, 'prepare'>;
  readonly runtimes: Pick<Runtimes, 'prepare'>;
  readonly runtimeNames: Pick<RuntimeNames, 'resolve'>;
  readonly bodyBytesMax: number;
  /** Nothing that is known runs on this runtime any more. */
  readonly onRuntimeUnused: (name: string) => void;
}

export class RevisionLoader {
  readonly #options: RevisionLoaderOptions;
  readonly #loaded = new Map<string, Loaded>();
  /** How many known Revisions run on each runtime. */
  readonly #onRuntime = new Map<string, number>();
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
   * Brings the runtime of a Revision, its source and its packages, unless they are there already.
   *
   * @throws FunctionsError `UnknownRuntime`, RuntimeError, ArtifactError, and what `recorded` fails with
   */
  async load(
    revision: RevisionObject,
    env: Readonly<Record<string, string>>,
    { recorded = Promise.resolve(revision), ...caller }: LoadOptions,
  ): Promise<RunnableRevision> {
    const { source, dependencies, allowInstallScripts } = revision.spec;
    const { artifacts, runtimes, bodyBytesMax } = this.#options;
    const runtime = this.#resolve(revision);
    const files = sourceFiles(source, runtime.fileName);
    this.#loading++;
    try {
      const [{ directory, digest }, stored] = await Promise.all([
        artifacts.prepare({ files, dependencies, allowInstallScripts }, caller),
        recorded,
        runtimes.prepare(runtime.name, caller),
      ]);
      const runnable = planRunnable({
        revision: stored,
        runsOn: runtime.name,
        env,
        sourceDirectory: directory,
        bodyBytesMax,
      });
      this.#remember({ runnable, artifact: digest });
      return runnable;
    } finally {
      this.#loading--;
    }
  }

  forget(revisionId: string): void {
    const known = this.known(revisionId);
    if (known === undefined) return;
    this.#loaded.delete(revisionId);
    const name = known.runsOn ?? known.runtime;
    const others = (this.#onRuntime.get(name) ?? 1) - 1;
    this.#onRuntime.set(name, others);
    if (others === 0) this.#options.onRuntimeUnused(name);
  }

  #remember(loaded: Loaded): void {
    const { id, runtime, runsOn = runtime } = loaded.runnable;
    // What takes the place of an earlier one may run on another runtime by now.
    const before = this.known(id)?.runsOn;
    if (before !== runsOn) {
      this.#onRuntime.set(runsOn, (this.#onRuntime.get(runsOn) ?? 0) + 1);
      this.forget(id);
    }
    this.#loaded.set(id, loaded);
  }

  #resolve({ spec }: RevisionObject): KnownRuntime {
    const resolution = this.#options.runtimeNames.resolve(spec.runtime);
    if (resolution.kind === 'found') return resolution.runtime;
    throw new FunctionsError('UnknownRuntime', resolution.message);
  }
}
