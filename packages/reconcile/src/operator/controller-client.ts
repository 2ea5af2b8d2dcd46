import type { Clock, JsonObject } from '@fnlet/base';
import type { Client } from '@fnlet/client';
import type { ConditionUpdate, KubeObject } from '@fnlet/machinery';
import type { WantedChild } from '@fnlet/sdk/operator';
import type { ChildWriter } from '../apply/child-writer.ts';
import { createStatusApplier } from '../apply/status-applier.ts';
import type { ReconcileContext } from '../key-run.ts';
import { ReconcileError } from '../reconcile-error.ts';
import { childrenOf, type DeclaredCaches, namesakesOf } from './declared-caches.ts';
import { parseAnswer } from './parse-answer.ts';
import { StatusKeeper } from './status-keeper.ts';

/** What an imperative controller has to say of an object; what is left out stays as it was said. */
export interface StatusStatement {
  readonly fields?: JsonObject;
  readonly conditions?: readonly ConditionUpdate[];
}

/** A client for one run, with what controllers do all the time: only where it changes something. */
export interface ControllerClient extends Client {
  /**
   * Makes a child of a kind that the controller owns as it is wanted: by server-side apply, with
   * `owner` as its owner, and not at all when nothing would change.
   *
   * @throws ReconcileError `ChildrenFailed` when it could not be written, or belongs to another
   */
  apply(child: WantedChild, options: { readonly owner: KubeObject }): Promise<void>;
  readonly status: {
    /**
     * Says it in the status of `object`, the state that it is about: `observedGeneration` and
     * transition times are kept, what others say stays.
     */
    apply(object: KubeObject, said: StatusStatement): Promise<void>;
  };
}

/** Makes clients for runs, and remembers between them what has been written. */
export class ControllerClients {
  readonly #client: Client;
  readonly #caches: DeclaredCaches;
  readonly #children: ChildWriter;
  readonly #status: StatusKeeper;

  constructor(options: {
    readonly client: Client;
    readonly caches: DeclaredCaches;
    readonly children: ChildWriter;
    readonly clock: Clock;
  }) {
    const { client, caches, children, clock } = options;
    this.#client = client;
    this.#caches = caches;
    this.#children = children;
    const { fieldManager } = client;
    const primaries = client.of<KubeObject>(caches.primaries.type);
    this.#status = new StatusKeeper(
      createStatusApplier({ client: primaries, fieldManager, clock }),
      primaries,
      fieldManager,
    );
  }

  /** The client of a run. */
  forRun({ signal }: Pick<ReconcileContext, 'signal'>): ControllerClient {
    return {
      ...this.#client,
      apply: (child, { owner }) => this.#apply(child, owner, signal),
      status: {
        apply: (object, said) => this.#status.say(object, { ...said, own: [] }, signal),
      },
    };
  }

  /** Lets go of what is remembered of an object that is gone. */
  forget(uid: string): void {
    this.#children.forget(uid);
    this.#status.forget(uid);
  }

  async #apply(child: WantedChild, primary: KubeObject, signal: AbortSignal): Promise<void> {
    const { children: desired = [] } = parseAnswer({ children: [child] });
    const caches = this.#caches;
    const observed = [...childrenOf(caches, primary), ...namesakesOf(caches, primary, desired)];
    const request = { primary, desired, observed, isComplete: false, signal };
    for (const outcome of await this.#children.apply(request)) {
      if (outcome.kind !== 'failed' && outcome.kind !== 'blocked') continue;
      const cause = outcome.kind === 'failed' ? outcome.error : undefined;
      throw new ReconcileError('ChildrenFailed', outcome.message, { cause, retry: 'later' });
    }
  }
}
