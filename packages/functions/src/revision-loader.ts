/**
 * Turns Revisions into something that can be started, and remembers those that serve.
 *
 * I1. What is known was prepared in this life of the process, or found complete on disk.
 * I2. Nothing is prepared before somebody needs it: thousands of sleeping Functions cost nothing.
 */
import { type RevisionObject, sourceFiles } from '@fnlet/api';
import type { ArtifactStore, RunnableRevision } from '@fnlet/executor';
import { planRunnable } from './plan-runnable.ts';

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

export class RevisionLoader {
  readonly #artifacts: Pick<ArtifactStore, 'prepare'>;
  readonly #bodyBytesMax: number;
  readonly #loaded = new Map<string, Loaded>();
  #loading = 0;

  constructor(options: {
    readonly artifacts: Pick<ArtifactStore, 'prepare'>;
    readonly bodyBytesMax: number;
  }) {
    this.#artifacts = options.artifacts;
    this.#bodyBytesMax = options.bodyBytesMax;
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
   * Stores source and packages of a Revision, unless they are stored already.
   *
   * @throws ArtifactError, and what `recorded` fails with
   */
  async load(
    revision: RevisionObject,
    env: Readonly<Record<string, string>>,
    { recorded = Promise.resolve(revision), ...caller }: LoadOptions,
  ): Promise<RunnableRevision> {
    const { source, dependencies, allowInstallScripts } = revision.spec;
    const files = sourceFiles(source);
    this.#loading++;
    try {
      const [{ directory, digest }, stored] = await Promise.all([
        this.#artifacts.prepare({ files, dependencies, allowInstallScripts }, caller),
        recorded,
      ]);
      const runnable = planRunnable({
        revision: stored,
        env,
        sourceDirectory: directory,
        bodyBytesMax: this.#bodyBytesMax,
      });
      this.#loaded.set(runnable.id, { runnable, artifact: digest });
      return runnable;
    } finally {
      this.#loading--;
    }
  }

  forget(revisionId: string): void {
    this.#loaded.delete(revisionId);
  }
}
