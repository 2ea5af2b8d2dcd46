import {
  type FunctionObject,
  functionConditions,
  functionReasons,
  type RevisionObject,
  type RevisionStatus,
} from '@fnlet/api';
import { hasCode } from '@fnlet/base';
import type { Cache, ResourceClient } from '@fnlet/client';
import {
  type ConditionUpdate,
  formatObjectKey,
  objectKey,
  toKubeMicroTime,
} from '@fnlet/machinery';
import type { StatusWriter } from '@fnlet/reconcile';
import { FunctionsError } from './functions-error.ts';
import { findRevision, isUsable } from './kubernetes-state.ts';
import { planHistory } from './plan-history.ts';
import type { RolloutFailure } from './rollout-failure.ts';

/** The Revision objects of Functions: made, marked and deleted here, and nowhere else. */
export class RevisionKeeper {
  readonly #client: ResourceClient<RevisionObject>;
  readonly #cache: Cache<RevisionObject>;
  readonly #status: StatusWriter<RevisionObject>;

  constructor(options: {
    readonly client: ResourceClient<RevisionObject>;
    readonly cache: Cache<RevisionObject>;
    readonly status: StatusWriter<RevisionObject>;
  }) {
    this.#client = options.client;
    this.#cache = options.cache;
    this.#status = options.status;
  }

  /** The Revision of this name that belongs to this very Function and is there to stay. */
  find(owner: FunctionObject, name: string): RevisionObject | undefined {
    return findRevision({ revisions: this.#cache }, owner, name);
  }

  /**
   * The planned Revision as an object of the API, made if it does not exist.
   *
   * @throws FunctionsError `RevisionInTheWay`
   */
  async ensure(
    owner: FunctionObject,
    planned: RevisionObject,
    signal: AbortSignal,
  ): Promise<{ readonly revision: RevisionObject; readonly isNew: boolean }> {
    const known = this.find(owner, planned.metadata.name);
    if (known !== undefined) {
      // The name is a digest of the content: what the cache leaves out is what was planned.
      return { revision: { ...known, spec: planned.spec }, isNew: false };
    }
    try {
      const revision = await this.#client.create(planned, { signal });
      this.#cache.observe(revision);
      return { revision, isNew: true };
    } catch (error) {
      if (!hasCode(error, 'AlreadyExists')) throw error;
      return { revision: await this.#adopt(owner, planned, signal), isNew: false };
    }
  }

  /**
   * Says that an Instance of the Revision was ready, where its source is stored, and, where calls
   * began to go to it, when.
   */
  async markReady(
    revision: RevisionObject,
    known: { readonly artifact: string | undefined; readonly servedAtMs: number | undefined },
    signal: AbortSignal,
  ): Promise<void> {
    const { artifact, servedAtMs } = known;
    await this.#mark(revision, signal, {
      fields: {
        ...(artifact === undefined ? {} : { artifact }),
        ...(servedAtMs === undefined ? {} : { servedAt: toKubeMicroTime(servedAtMs) }),
      },
      conditions: [
        {
          type: functionConditions.ready,
          status: 'True',
          reason: functionReasons.ready,
          message: 'An Instance of it was ready',
        },
      ],
    });
  }

  /** Says why the Revision does not run. */
  async markFailed(
    revision: RevisionObject,
    { reason, message }: RolloutFailure,
    signal: AbortSignal,
  ): Promise<void> {
    const type = functionConditions.ready;
    await this.#mark(revision, signal, {
      fields: {},
      conditions: [{ type, status: 'False', reason, message }],
    });
  }

  /** Deletes what the history has no room for. */
  async prune(
    revisions: readonly RevisionObject[],
    inUse: ReadonlySet<string>,
    signal: AbortSignal,
  ): Promise<void> {
    for (const old of planHistory(revisions, inUse)) await this.#delete(old, signal);
  }

  async #mark(
    revision: RevisionObject,
    signal: AbortSignal,
    update: {
      readonly fields: Pick<RevisionStatus, 'artifact' | 'servedAt'>;
      readonly conditions: readonly ConditionUpdate[];
    },
  ): Promise<void> {
    const written = await this.#status.write(revision, update, signal);
    if (written !== undefined) this.#cache.observe(written);
  }

  async #adopt(
    owner: FunctionObject,
    planned: RevisionObject,
    signal: AbortSignal,
  ): Promise<RevisionObject> {
    const found = await this.#client.get(objectKey(planned), { signal });
    if (isUsable(found, owner)) {
      this.#cache.observe(found);
      return found;
    }
    await this.#delete(found, signal);
    throw new FunctionsError(
      'RevisionInTheWay',
      `Cannot create Revision "${formatObjectKey(objectKey(planned))}": found one that belongs to ` +
        'a deleted Function, expected none',
      { retry: { afterMs: 100 } },
    );
  }

  async #delete(revision: RevisionObject, signal: AbortSignal): Promise<void> {
    const { uid } = revision.metadata;
    try {
      await this.#client.delete(objectKey(revision), { preconditions: { uid }, signal });
    } catch (error) {
      // Gone, or another one by now: either way this one is deleted.
      if (!hasCode(error, 'NotFound') && !hasCode(error, 'Conflict')) throw error;
    }
  }
}
