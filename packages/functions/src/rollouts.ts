/**
 * Brings the newest Revision of each Function to its first ready Instance.
 *
 * I1. One rollout per Function at a time: a newer one ends the one before, with its Instance.
 * I2. `onProven` is called in the tick in which the first Instance became ready, once, and never
 *     for a rollout that was superseded.
 * I3. A failed rollout keeps nothing alive; it is remembered until it is superseded or forgotten.
 */
import type { RevisionObject } from '@fnlet/api';
import { backoffDelayMs, type Clock } from '@fnlet/base';
import type { Executor, InstanceEvent, RunnableRevision } from '@fnlet/executor';
import { formatObjectKey, type ObjectKey } from '@fnlet/machinery';
import type { Configuration } from './configuration-reader.ts';
import type { RevisionLoader } from './revision-loader.ts';
import { instanceFailure, loadingFailure, type RolloutFailure } from './rollout-failure.ts';
import type { RolloutState } from './rollout-state.ts';
import type { Scaler } from './scaler.ts';

export interface RolloutRequest {
  /** The Function. */
  readonly key: ObjectKey;
  /** Complete, with its source; as it was planned. */
  readonly revision: RevisionObject;
  /** The same from the API, once it is written there. Whoever fails to write it cancels. */
  readonly recorded: Promise<RevisionObject>;
  readonly configuration: Configuration;
  /** Generation of the Function that asks for it. */
  readonly generation: number;
  readonly attempt: number;
}

export interface RolloutsOptions {
  readonly loader: Pick<RevisionLoader, 'load'>;
  readonly scaler: Pick<Scaler, 'prove' | 'abandon'>;
  readonly executor: Pick<Executor, 'instances'>;
  readonly clock: Clock;
  /** The first Instance is ready: calls can go to this Revision now. */
  readonly onProven: (request: RolloutRequest, tookMs: number) => void;
  /** The state has changed. Must only take note. */
  readonly onChange: (key: ObjectKey, change: RolloutChange) => void;
}

export interface RolloutChange {
  readonly before: RolloutState;
  readonly after: RolloutState;
}

interface Rollout {
  readonly request: RolloutRequest;
  readonly abort: AbortController;
  state: RolloutState;
  /** Set once its Instance is being started. */
  revisionId: string | undefined;
}

export class Rollouts {
  readonly #options: RolloutsOptions;
  readonly #byFunction = new Map<string, Rollout>();
  readonly #byRevision = new Map<string, Rollout>();

  constructor(options: RolloutsOptions) {
    this.#options = options;
  }

  stateOf(key: ObjectKey): RolloutState | undefined {
    return this.#byFunction.get(formatObjectKey(key))?.state;
  }

  /** What the rollout of a Function found around its code. */
  configurationOf(key: ObjectKey): Configuration | undefined {
    return this.#byFunction.get(formatObjectKey(key))?.request.configuration;
  }

  start(request: RolloutRequest): void {
    this.cancel(request.key);
    const { revision, generation, attempt } = request;
    const rollout: Rollout = {
      request,
      abort: new AbortController(),
      state: {
        phase: 'preparing',
        revision: revision.metadata.name,
        generation,
        attempt,
        startedAtMs: this.#options.clock.now(),
        progress: undefined,
      },
      revisionId: undefined,
    };
    this.#byFunction.set(formatObjectKey(request.key), rollout);
    void this.#prepare(rollout);
  }

  /** Ends and forgets the rollout of a Function, if there is one. */
  cancel(key: ObjectKey): void {
    const rollout = this.#byFunction.get(formatObjectKey(key));
    if (rollout === undefined) return;
    this.#byFunction.delete(formatObjectKey(key));
    this.#stop(rollout);
  }

  /** To be called for every event of the executor, after the scaler heard it. */
  onInstance({ kind, instance }: InstanceEvent): void {
    const rollout = this.#byRevision.get(instance.revision.id);
    if (rollout === undefined) return;
    // One crash says little about the code: the executor replaces the process at once.
    const isFailed = kind === 'loadFailed' || (kind === 'crashed' && instance.restarts > 0);
    if (kind === 'ready') this.#finish(rollout);
    else if (isFailed) this.#fail(rollout, instanceFailure(instance));
  }

  close(): void {
    for (const rollout of this.#byFunction.values()) rollout.abort.abort();
    this.#byFunction.clear();
    this.#byRevision.clear();
  }

  async #prepare(rollout: Rollout): Promise<void> {
    const { revision, recorded, configuration } = rollout.request;
    const { signal } = rollout.abort;
    const onProgress = (line: string): void => this.#progress(rollout, line);
    try {
      const options = { signal, onProgress, recorded };
      const runnable = await this.#options.loader.load(revision, configuration, options);
      if (!signal.aborted) this.#prove(rollout, runnable);
    } catch (error) {
      if (!signal.aborted) this.#fail(rollout, loadingFailure(error));
    }
  }

  #progress(rollout: Rollout, line: string): void {
    const { state } = rollout;
    if (rollout.abort.signal.aborted || state.phase !== 'preparing') return;
    this.#move(rollout, { ...state, progress: line });
  }

  #prove(rollout: Rollout, runnable: RunnableRevision): void {
    const { revision, generation, attempt, startedAtMs } = rollout.state;
    rollout.revisionId = runnable.id;
    this.#byRevision.set(runnable.id, rollout);
    this.#move(rollout, { phase: 'starting', revision, generation, attempt, startedAtMs });
    this.#options.scaler.prove(runnable);
    // A Revision that was replaced a moment ago may still have an Instance.
    const instances = this.#options.executor.instances(runnable.id);
    if (instances.some(({ phase }) => phase === 'ready')) this.#finish(rollout);
  }

  #finish(rollout: Rollout): void {
    const { clock, onProven } = this.#options;
    if (rollout.revisionId === undefined || rollout.abort.signal.aborted) return;
    this.#byRevision.delete(rollout.revisionId);
    this.#byFunction.delete(formatObjectKey(rollout.request.key));
    onProven(rollout.request, clock.now() - rollout.state.startedAtMs);
  }

  #fail(rollout: Rollout, failure: RolloutFailure): void {
    const { revision, generation, attempt, startedAtMs } = rollout.state;
    const { backoff } = failure;
    const retryAtMs =
      backoff === undefined
        ? undefined
        : this.#options.clock.now() + backoffDelayMs(attempt, backoff);
    this.#stop(rollout);
    const common = { revision, generation, attempt, startedAtMs };
    this.#move(rollout, { phase: 'failed', ...common, failure, retryAtMs });
  }

  #stop(rollout: Rollout): void {
    rollout.abort.abort();
    if (rollout.revisionId === undefined) return;
    this.#byRevision.delete(rollout.revisionId);
    this.#options.scaler.abandon(rollout.revisionId);
    rollout.revisionId = undefined;
  }

  #move(rollout: Rollout, after: RolloutState): void {
    const before = rollout.state;
    rollout.state = after;
    this.#options.onChange(rollout.request.key, { before, after });
  }
}
