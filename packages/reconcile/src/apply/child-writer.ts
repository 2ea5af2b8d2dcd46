/**
 * Carries out what `planChildren` decides.
 *
 * I1. In one call every child is written at most once.
 * I2. What fails for one child is told of that child; the others go on.
 * I3. What a write answered is observed by the caches before the call returns.
 * I4. A write to a known object names its uid, so that one of the same name is never taken for it.
 */
import { assert, type Clock, errorMessage, hasCode } from '@fnlet/base';
import type { Client, ResourceClient } from '@fnlet/client';
import type { KubeObject, ResourceType } from '@fnlet/machinery';
import { ReconcileError } from '../reconcile-error.ts';
import { ApplyMemory, type ChildRecord } from './apply-memory.ts';
import {
  afterEffectiveWrite,
  type BreakerOptions,
  type ResolvedBreakerOptions,
} from './breaker.ts';
import type { BlockedAction, ChildAction, PruneAction, WriteAction } from './child-action.ts';
import { childId, formatChildId } from './child-id.ts';
import { type ChildOutcome, outcomeOf } from './child-outcome.ts';
import { readAnswer } from './decide-write.ts';
import type { DesiredChildren } from './desired-child.ts';
import { inParallel } from './in-parallel.ts';
import { breakerDefaults, childConcurrency } from './limits.ts';
import { type Applier, OwnedFieldsReader } from './owned-fields.ts';
import { causeOf, planChildren } from './plan-children.ts';
import { findRival } from './rival.ts';
import { planStaleOwners } from './stale-owner.ts';

export interface ChildWriterOptions {
  /** Its field manager is the owner of what is applied. */
  readonly client: Client;
  /** How a kind is addressed; `undefined` for one that is not known. */
  readonly typeOf: (apiVersion: string, kind: string) => ResourceType | undefined;
  /** Takes what a write answered, so that caches show it at once. Default: nobody. */
  readonly observe?: (object: KubeObject) => void;
  /** Whether the caches hold only some fields of such objects. Default: they hold all of them. */
  readonly isPartial?: ((observed: KubeObject) => boolean) | undefined;
  /**
   * Whether `observed` shows whatever this field manager has written of the child's kind, by any
   * process. Then what it does not show is created without a look at the API. Default: it may lag,
   * or leave something out.
   */
  readonly isComplete?: ((child: KubeObject) => boolean) | undefined;
  /** The finalizer under which children are deleted that no owner reference reaches. */
  readonly finalizer?: string | undefined;
  /**
   * Asks the API whether it still has this very primary, and not to be deleted. Asked before a
   * child is made that no owner reference reaches: a cache that lags, as that of a new leader may,
   * shows primaries that were cleaned up already, and nobody would delete the child. Default: it
   * has.
   */
  readonly isAlive?: ((primary: KubeObject, signal: AbortSignal) => Promise<boolean>) | undefined;
  /** How many children of one primary are written at once. Default 8. */
  readonly concurrency?: number | undefined;
  /** What happens to the children of a pruned child. Default `Background`. */
  readonly propagation?: 'Foreground' | 'Background' | 'Orphan' | undefined;
  readonly breaker?: BreakerOptions | undefined;
  readonly clock: Clock;
}

/** The children that a primary wants now, beside what there is. */
export interface ChildrenRequest {
  readonly primary: KubeObject;
  /** Absent: leave everything as it is. An empty list: delete all children. */
  readonly desired: DesiredChildren | undefined;
  /** Whether `desired` is all that the primary wants. Default true; if not, nothing is deleted. */
  readonly isComplete?: boolean | undefined;
  /**
   * Children of the primary, and whatever else is there under the names of the wanted ones, as
   * caches show them. A cache must keep `childPaths`; one that keeps the own managedFields (see
   * `keepOwnManagedFields`) makes the first pass after a start free; what it does not keep cannot be
   * seen to drift.
   */
  readonly observed: readonly KubeObject[];
  readonly signal: AbortSignal;
}

/** Writes the children of primaries, and nothing where nothing would change. */
export interface ChildWriter {
  /**
   * Brings the children of a primary to what is desired, as far as it can now. Never rejects for
   * the sake of one child: its outcome tells.
   *
   * @returns one outcome per child that is wanted or owned, in the order of the plan
   */
  apply(request: ChildrenRequest): Promise<readonly ChildOutcome[]>;
  /** Lets go of what is remembered of a primary that is gone. */
  forget(primaryUid: string): void;
}

/**
 * @example
 * const writer = createChildWriter({ client, typeOf, observe, clock });
 * const outcomes = await writer.apply({ primary, desired: [deployment], observed, signal });
 */
export function createChildWriter(options: ChildWriterOptions): ChildWriter {
  const memory = new ApplyMemory();
  const reader = new OwnedFieldsReader();
  const breaker = { ...breakerDefaults, ...options.breaker };
  return {
    apply: (request) => new Pass({ options, memory, reader, breaker }, request).run(),
    forget: (primaryUid) => memory.forget(primaryUid),
  };
}

interface Tools {
  readonly options: ChildWriterOptions;
  readonly memory: ApplyMemory;
  readonly reader: OwnedFieldsReader;
  readonly breaker: ResolvedBreakerOptions;
}

/** One call: plans and acts until nothing more can be done now. */
class Pass {
  readonly #tools: Tools;
  readonly #request: ChildrenRequest;
  readonly #applier: Applier;
  readonly #uid: string;
  /** What is there, with the answers of this pass. */
  readonly #observed: Map<string, KubeObject>;
  readonly #outcomes = new Map<string, ChildOutcome>();
  /** Asked once in a pass. */
  #isAlive: Promise<boolean> | undefined;

  constructor(tools: Tools, request: ChildrenRequest) {
    this.#tools = tools;
    this.#request = request;
    this.#applier = { manager: tools.options.client.fieldManager };
    const { uid } = request.primary.metadata;
    assert(uid !== undefined, 'a primary was read from the API, so it has a uid');
    this.#uid = uid;
    this.#observed = new Map(
      request.observed.map((object) => [formatChildId(childId(object)), object] as const),
    );
  }

  async run(): Promise<readonly ChildOutcome[]> {
    const { concurrency = childConcurrency } = this.#tools.options;
    // Each round writes a child that was not written before, or finds one that is there: it ends.
    for (;;) {
      const actions = this.#plan();
      const due = actions.filter((action) => isWork(action) && !this.#outcomes.has(action.key));
      await inParallel(due, concurrency, (action) => this.#perform(action));
      const isAwaited = actions.some(({ kind }) => kind === 'wait');
      const isOpen = due.some(({ key }) => !this.#outcomes.has(key));
      if (due.length > 0 && (isAwaited || isOpen)) continue;
      return this.#finish(actions);
    }
  }

  #plan(): readonly ChildAction[] {
    const { options, reader } = this.#tools;
    const { primary, desired, isComplete } = this.#request;
    return planChildren({
      primary,
      desired,
      isComplete,
      observed: [...this.#observed.values()],
      recall: (key) => this.#record(key),
      applier: this.#applier,
      reader,
      isPartial: options.isPartial,
      nowMs: options.clock.now(),
      typeOf: options.typeOf,
      finalizer: options.finalizer,
    });
  }

  async #finish(actions: readonly ChildAction[]): Promise<readonly ChildOutcome[]> {
    const { desired, isComplete = true } = this.#request;
    const outcomes: ChildOutcome[] = [];
    for (const action of actions) {
      this.#learn(action);
      const outcome = this.#outcomes.get(action.key) ?? outcomeOf(await this.#explain(action));
      if (outcome !== undefined) outcomes.push(outcome);
    }
    if (desired !== undefined && isComplete) {
      this.#tools.memory.retain(this.#uid, new Set(actions.map(({ key }) => key)));
    }
    return outcomes;
  }

  async #perform(action: ChildAction): Promise<void> {
    try {
      if (action.kind === 'prune') await this.#prune(action);
      else if (isWrite(action)) await this.#make(action);
    } catch (error) {
      const { child, key } = action;
      const message = `Cannot ${action.kind} ${key}: ${errorMessage(error)}`;
      this.#outcomes.set(key, { child, key, kind: 'failed', error, message });
    }
  }

  async #make(action: WriteAction): Promise<void> {
    const { child, key } = action;
    if (await this.#isInVain(action)) {
      this.#outcomes.set(key, { child, key, kind: 'skipped', reason: 'PrimaryDeleted' });
    } else if (!(await this.#isThere(action))) await this.#write(action);
  }

  /** Whether nobody would ever delete it again (kubernetes, RecheckDeletionTimestamp). */
  async #isInVain({ kind, manifest }: WriteAction): Promise<boolean> {
    const isNew = kind !== 'apply' && manifest.metadata.ownerReferences === undefined;
    if (!isNew) return false;
    const { primary, signal } = this.#request;
    this.#isAlive ??= this.#tools.options.isAlive?.(primary, signal) ?? Promise.resolve(true);
    return !(await this.#isAlive);
  }

  /**
   * Whether what is to be created is there, though no cache shows it; the next round decides about
   * it. An apply would take it from another primary of this operator, whose fields are the same
   * manager's; from anybody else it takes nothing.
   */
  async #isThere({ kind, child, key, manifest }: WriteAction): Promise<boolean> {
    if (kind !== 'create' || this.#tools.options.isComplete?.(manifest) === true) return false;
    const { signal } = this.#request;
    const live = await this.#clientOf(manifest).tryGet(child, { signal });
    if (live === undefined) return false;
    this.#observed.set(key, live);
    this.#tools.options.observe?.(live);
    return true;
  }

  async #write(action: WriteAction): Promise<void> {
    const { options, reader, breaker } = this.#tools;
    const { child, key, manifest, observed } = action;
    const answer = await this.#send(action);
    const question = { manifest, observed, applier: this.#applier, reader };
    const { applied, isEffective } = readAnswer(question, answer);
    const known = this.#record(key);
    const isRewrite = action.reason === 'Drifted' || action.reason === 'Missing';
    const cause = causeOf(this.#request.primary);
    const counted = { cause, atMs: options.clock.now(), isRewrite };
    const state = isEffective
      ? afterEffectiveWrite(known?.breaker, counted, breaker)
      : known?.breaker;
    this.#remember(key, {
      ...(applied === undefined ? {} : { applied }),
      ...(state === undefined ? {} : { breaker: state }),
    });
    this.#observed.set(key, answer);
    options.observe?.(answer);
    const kind = outcomeKinds[action.kind];
    const { reason } = action;
    this.#outcomes.set(key, { child, key, kind, reason, object: answer, isEffective });
  }

  async #send({ kind, child, manifest, observed }: WriteAction): Promise<KubeObject> {
    const { signal } = this.#request;
    const client = this.#clientOf(manifest);
    const uid = observed?.metadata.uid;
    const guarded =
      uid === undefined ? manifest : { ...manifest, metadata: { ...manifest.metadata, uid } };
    // What seems new is applied without force: should it be there after all, its owner keeps it.
    const written = await client.apply(guarded, { force: kind !== 'create', signal });
    const { reader } = this.#tools;
    const patch = planStaleOwners(written, { applier: this.#applier, reader });
    if (patch === undefined) return written;
    // Somebody may have written in between; the next apply finds the stale owners again.
    return client.patch(child, { type: 'json', patch }, { signal }).catch(() => written);
  }

  async #prune({ child, key, object, isKnownOurs }: PruneAction): Promise<void> {
    const { options, reader } = this.#tools;
    const { signal } = this.#request;
    const client = this.#clientOf(object);
    const { uid } = object.metadata;
    assert(uid !== undefined, 'a child is deleted by its uid, so caches keep it');
    if (!isKnownOurs) {
      const live = await client.tryGet(child, { signal });
      const isSame = live?.metadata.uid === uid;
      if (live !== undefined && isSame && reader.ofApplier(live, this.#applier) === undefined) {
        this.#outcomes.set(key, { child, key, kind: 'skipped', reason: 'NotApplied' });
        return;
      }
    }
    const { propagation = 'Background' } = options;
    try {
      await client.delete(child, { propagation, preconditions: { uid }, signal });
    } catch (error) {
      // It is gone, or another object has its name: either way nothing of ours is left.
      if (!hasCode(error, 'NotFound') && !hasCode(error, 'Conflict')) throw error;
    }
    this.#remember(key, { ...this.#record(key), prunedUid: uid });
    this.#outcomes.set(key, { child, key, kind: 'pruned' });
  }

  #learn(action: ChildAction): void {
    if (action.kind !== 'skip' || action.applied === undefined) return;
    const record = this.#record(action.key);
    if (record?.applied === action.applied) return;
    this.#remember(action.key, { ...record, applied: action.applied });
  }

  /** An open breaker with the name of who fights, which is looked for once per opening. */
  async #explain(action: ChildAction): Promise<ChildAction> {
    if (action.kind !== 'blocked' || action.untilMs === undefined) return action;
    const { key, untilMs } = action;
    const record = this.#record(key);
    const known = record?.rival?.untilMs === untilMs ? record.rival : undefined;
    try {
      const rival = known ?? { untilMs, text: await this.#rivalText(action, record) };
      if (known === undefined) this.#remember(key, { ...record, rival });
      return { ...action, message: `${action.message}; ${rival.text}` };
    } catch {
      // Who it is will be asked again in the next run; that the child is left alone is told anyway.
      return action;
    }
  }

  /** Asks the API, for caches keep at most the own managedFields. */
  async #rivalText(
    { child, manifest }: BlockedAction,
    record: ChildRecord | undefined,
  ): Promise<string> {
    const { signal } = this.#request;
    const live = manifest && (await this.#clientOf(manifest).tryGet(child, { signal }));
    if (live === undefined) return 'somebody deletes it';
    const fields = record?.applied?.fields;
    const tools = { applier: this.#applier, reader: this.#tools.reader };
    const rival = fields && findRival(live, fields, tools);
    if (rival === undefined) {
      return 'no field manager has taken its fields, so an admission webhook or this operator does';
    }
    const fought = rival.fields.join(', ');
    return `field manager "${rival.manager}" writes ${fought}, as "${this.#applier.manager}" does`;
  }

  #clientOf({ apiVersion, kind }: KubeObject): ResourceClient<KubeObject> {
    const { client, typeOf } = this.#tools.options;
    const type = typeOf(apiVersion, kind);
    if (type !== undefined) return client.of<KubeObject>(type);
    const text = `Cannot address ${kind}: found no such kind in ${apiVersion}, expected one`;
    throw new ReconcileError('UnknownKind', text);
  }

  #record(key: string): ChildRecord | undefined {
    return this.#tools.memory.get(this.#uid, key);
  }

  #remember(key: string, record: ChildRecord): void {
    this.#tools.memory.set(this.#uid, key, record);
  }
}

const outcomeKinds = { create: 'created', adopt: 'adopted', apply: 'applied' } as const;

function isWrite(action: ChildAction): action is WriteAction {
  return action.kind === 'create' || action.kind === 'adopt' || action.kind === 'apply';
}

function isWork(action: ChildAction): boolean {
  return action.kind === 'prune' || isWrite(action);
}
