/**
 * Says how many Instances of each Revision are wanted, and tells the Gateway which are ready, and
 * which load their code.
 *
 * I1. The first call of a sleeping Revision starts an Instance in the same tick, if the Revision is
 *     loaded; no API call lies on this path.
 * I2. A Revision that sleeps has nothing here: no entry, no timer. One timer serves all that are
 *     awake; it is due when the first of them wants to be looked at.
 * I3. An Instance is told to end only after the Gateway has stopped sending calls to it.
 * I4. Only Revisions that serve are scaled by demand. One that is being proven has one Instance;
 *     one that was replaced keeps what it has until its last waiting call is answered.
 */
import type { ResolvedScale } from '@fnlet/api';
import { backoffDelayMs, type Clock, sleep, type Timer } from '@fnlet/base';
import type { Executor, Instance, InstanceEvent, RunnableRevision } from '@fnlet/executor';
import type { Endpoint, Gateway } from '@fnlet/gateway';
import {
  decideScale,
  defaultSpans,
  emptyWindow,
  type Floor,
  measureRecent,
  noScaleHistory,
  type Readings,
  type RecentCalls,
  recordDemand,
  type ScaleCause,
  type ScaleHistory,
  type Window,
} from '@fnlet/scaling';
import { limits, rolloutBackoffs } from './limits.ts';
import { planOutage } from './plan-outage.ts';

type Role = 'proving' | 'serving' | 'retiring';

interface Awake {
  readonly revision: RunnableRevision;
  readonly role: Role;
  readonly wanted: number;
  /** How many its demand alone asked for, at the last look. */
  readonly needed: number;
  readonly window: Window;
  readonly history: ScaleHistory;
  /** Since when it serves, so that it is not put to sleep before anybody could call it. */
  readonly servingSinceMs: number;
  /** When to decide again, on the monotonic clock; Infinity: with the next call. */
  readonly checkAtMs: number;
}

/** What the scaler did. */
export interface ScalingNews {
  readonly revision: RunnableRevision;
  readonly from: number;
  readonly to: number;
  readonly reason: string;
  readonly cause: ScaleCause;
  /** Whether a call woke it, rather than the scaler on its own account. */
  readonly isWoken: boolean;
}

export interface ScalerOptions {
  readonly executor: Pick<Executor, 'ensure' | 'instances' | 'inherited' | 'evict'>;
  readonly gateway: Pick<Gateway, 'setEndpoints' | 'demandOf' | 'drained'>;
  readonly clock: Clock;
  /** How a Revision scales; `undefined` when no calls go to it. */
  readonly scaleOf: (revisionId: string) => ResolvedScale | undefined;
  /** Minimums of a Revision that hold at this time, beside the one of its scale. */
  readonly floorsOf: (revisionId: string) => readonly Floor[];
  /** What is known about metrics that are not the Gateway's. */
  readonly readingsOf: (revision: RunnableRevision, scale: ResolvedScale) => Readings;
  /** What demand alone needs, at every decision. Must only take note. */
  readonly onNeed: (revision: RunnableRevision, needed: number) => void;
  /** The Revision if it can be started at once. */
  readonly known: (revisionId: string) => RunnableRevision | undefined;
  /** Makes it so that it can be started. */
  readonly load: (revisionId: string, signal: AbortSignal) => Promise<RunnableRevision>;
  /** A Revision that is called was loaded. Must only take note. */
  readonly onLoaded: (revisionId: string) => void;
  /** A Revision that is called cannot be loaded; it is tried again. Must only take note. */
  readonly onLoadFailed: (revisionId: string, error: unknown) => void;
  /** The number of wanted Instances changed. Must only take note. */
  readonly onScaled: (news: ScalingNews) => void;
}

export class Scaler {
  readonly #options: ScalerOptions;
  readonly #awake = new Map<string, Awake>();
  readonly #loading = new Set<string>();
  /** Those that are to be woken by what they scale by, until they are. */
  readonly #roused = new Set<string>();
  readonly #closing = new AbortController();
  /** Whose Instances are being ensured: what the executor tells meanwhile is published at its end. */
  #ensuring: string | undefined;
  #timer: { readonly handle: Timer; readonly dueMs: number } | undefined;

  constructor(options: ScalerOptions) {
    this.#options = options;
  }

  /** Calls wait for this Revision, or it is called again after a pause. */
  onDemand(revisionId: string): void {
    if (!this.#awake.has(revisionId)) this.#wake(revisionId);
    else if (this.#options.gateway.demandOf(revisionId).queued === 0) {
      this.#checkAfter(revisionId, limits.tickMs);
    } else this.#checkAfter(revisionId, limits.demandMs);
  }

  /** Starts the first Instance of a Revision, which does not serve yet as a rule. */
  prove(revision: RunnableRevision): void {
    const role = this.#options.scaleOf(revision.id) === undefined ? 'proving' : 'serving';
    this.#set(revision, role, Math.max(1, this.#awake.get(revision.id)?.wanted ?? 0));
  }

  /** Calls go to this Revision from now on, or its scale or a minimum has changed. */
  serve(revisionId: string): void {
    const entry = this.#awake.get(revisionId);
    if (entry !== undefined) {
      if (entry.role !== 'serving') this.#set(entry.revision, 'serving', entry.wanted);
      this.#evaluate(revisionId);
    } else if (this.#leastOf(revisionId).min > 0) this.#wake(revisionId);
  }

  /** There are new numbers that it scales by. */
  look(revisionId: string, isWanted: boolean): void {
    if (!isWanted) this.#roused.delete(revisionId);
    if (this.#awake.has(revisionId)) this.#evaluate(revisionId);
    else if (isWanted) {
      this.#roused.add(revisionId);
      this.#wake(revisionId);
    }
  }

  /** How many Instances the demand of a Revision asks for, whatever else keeps more of them. */
  needOf(revisionId: string): number {
    return this.#awake.get(revisionId)?.needed ?? 0;
  }

  /** What the calls of a Revision are now. It is only looked at: decisions are not made of it. */
  recentOf(revisionId: string): RecentCalls {
    const { clock, gateway, scaleOf } = this.#options;
    const now = clock.now();
    const demand = gateway.demandOf(revisionId);
    const { spans = defaultSpans } = scaleOf(revisionId) ?? {};
    const known = this.#awake.get(revisionId)?.window ?? emptyWindow;
    return measureRecent(recordDemand(known, demand, { now, spans }), demand, { now, spans });
  }

  /** No new call goes to this Revision: it ends when those that wait for it are answered. */
  retire(revisionId: string): void {
    const entry = this.#awake.get(revisionId);
    if (entry === undefined) return;
    this.#awake.set(revisionId, { ...entry, role: 'retiring' });
    this.#evaluate(revisionId);
  }

  /** A Revision that was being proven is not wanted any more. */
  abandon(revisionId: string): void {
    const entry = this.#awake.get(revisionId);
    if (entry?.role !== 'proving') return;
    this.#forget(revisionId);
    this.#options.executor.ensure(entry.revision, 0);
  }

  /** To be called for every event of the executor. */
  onInstance({ instance }: InstanceEvent): void {
    if (instance.revision.id !== this.#ensuring) this.#publish(instance.revision.id);
  }

  /** How many Instances are wanted of each Revision that is awake. */
  wanted(): readonly (readonly [RunnableRevision, number])[] {
    return [...this.#awake.values()].map(({ revision, wanted }) => [revision, wanted]);
  }

  close(): void {
    this.#closing.abort();
    this.#timer?.handle.cancel();
  }

  #wake(revisionId: string): void {
    const revision = this.#options.known(revisionId);
    if (revision !== undefined) this.#start(revision);
    else if (!this.#loading.has(revisionId)) void this.#load(revisionId);
  }

  #start(revision: RunnableRevision): void {
    const { scaleOf, gateway, executor, onScaled } = this.#options;
    const scale = scaleOf(revision.id);
    const role = scale === undefined ? 'retiring' : 'serving';
    const { min, reason } = this.#leastOf(revision.id);
    // Those that are there answer calls: who has seen no demand yet must not end any of them.
    const inherited = executor.inherited?.(revision.id) ?? 0;
    const asked = Math.max(1, min, scale?.activation ?? 0, inherited);
    const to = Math.min(asked, Math.max(1, scale?.max ?? 1));
    this.#roused.delete(revision.id);
    this.#set(revision, role, to);
    this.#checkAfter(revision.id, limits.tickMs);
    const { queued, inFlight } = gateway.demandOf(revision.id);
    const isWoken = queued + inFlight > 0;
    const why = isWoken ? 'a call waits' : min > 0 ? reason : 'what it scales by asks for it';
    const cause = isWoken ? 'call' : min > 0 ? 'min' : 'metric';
    onScaled({ revision, from: 0, to, reason: why, cause, isWoken });
  }

  #tell(news: Omit<ScalingNews, 'isWoken'>): void {
    this.#options.onScaled({ ...news, isWoken: false });
  }

  /** The highest minimum of a Revision, and why it is that. */
  #leastOf(revisionId: string): Floor {
    const { scaleOf, floorsOf } = this.#options;
    const scale = scaleOf(revisionId);
    if (scale === undefined) return { min: 0, reason: '' };
    const own = { min: scale.min, reason: `min is ${scale.min}` };
    const floors = floorsOf(revisionId);
    const least = floors.reduce((high, floor) => (floor.min > high.min ? floor : high), own);
    return { ...least, min: Math.min(least.min, scale.max) };
  }

  // After a restart, and after an artifact was lost. Tried until it works or nobody waits any more.
  async #load(revisionId: string): Promise<void> {
    const { clock, load, onLoaded, onLoadFailed } = this.#options;
    const { signal } = this.#closing;
    this.#loading.add(revisionId);
    try {
      for (let failures = 1; this.#isNeeded(revisionId) && !signal.aborted; failures++) {
        try {
          const revision = await load(revisionId, signal);
          onLoaded(revisionId);
          if (!this.#awake.has(revisionId) && this.#isNeeded(revisionId)) this.#start(revision);
          return;
        } catch (error) {
          onLoadFailed(revisionId, error);
          await sleep(clock, backoffDelayMs(failures, rolloutBackoffs.soon), signal);
        }
      }
    } finally {
      this.#loading.delete(revisionId);
    }
  }

  #isNeeded(revisionId: string): boolean {
    if (this.#roused.has(revisionId) || this.#leastOf(revisionId).min > 0) return true;
    // What is being answered was woken by somebody who is gone: it is this one's from now on.
    const { queued, inFlight } = this.#options.gateway.demandOf(revisionId);
    return queued + inFlight > 0;
  }

  #set(revision: RunnableRevision, role: Role, wanted: number): void {
    const before = this.#awake.get(revision.id);
    const now = this.#options.clock.now();
    const isSame = before?.role === role;
    this.#awake.set(revision.id, {
      revision,
      role,
      wanted,
      needed: before?.needed ?? 0,
      window: before?.window ?? emptyWindow,
      history: before?.history ?? noScaleHistory,
      servingSinceMs: isSame ? before.servingSinceMs : now,
      checkAtMs: before?.checkAtMs ?? Number.POSITIVE_INFINITY,
    });
    this.#ensuring = revision.id;
    try {
      this.#options.executor.ensure(revision, wanted, { trial: role === 'proving' });
    } finally {
      this.#ensuring = undefined;
    }
    // A warm Runner was assigned in this tick, and it can be connected to while it loads the code.
    this.#publish(revision.id);
  }

  // I3: what is not awake has no endpoints, whatever its Instances still do.
  #publish(revisionId: string): void {
    const { clock, executor, gateway } = this.#options;
    if (!this.#awake.has(revisionId)) return;
    const instances = executor.instances(revisionId);
    const outage = planOutage(instances, clock.now());
    gateway.setEndpoints(revisionId, instances.flatMap(toEndpoints), outage);
  }

  // The earliest wish wins.
  #checkAfter(revisionId: string, delayMs: number): void {
    const entry = this.#awake.get(revisionId);
    const checkAtMs = this.#options.clock.monotonicMs() + delayMs;
    if (entry === undefined || entry.checkAtMs <= checkAtMs) return;
    this.#awake.set(revisionId, { ...entry, checkAtMs });
    this.#arm(checkAtMs);
  }

  // I2: the one timer.
  #arm(dueMs: number): void {
    if (this.#closing.signal.aborted || dueMs === Number.POSITIVE_INFINITY) return;
    if (this.#timer !== undefined && this.#timer.dueMs <= dueMs) return;
    this.#timer?.handle.cancel();
    const { clock } = this.#options;
    const handle = clock.after(Math.max(0, dueMs - clock.monotonicMs()), () => this.#check());
    this.#timer = { handle, dueMs };
  }

  #check(): void {
    this.#timer = undefined;
    const nowMs = this.#options.clock.monotonicMs();
    for (const [revisionId, { checkAtMs }] of [...this.#awake]) {
      if (checkAtMs <= nowMs) this.#evaluate(revisionId);
    }
    let firstMs = Number.POSITIVE_INFINITY;
    for (const { checkAtMs } of this.#awake.values()) firstMs = Math.min(firstMs, checkAtMs);
    this.#arm(firstMs);
  }

  #evaluate(revisionId: string): void {
    const entry = this.#awake.get(revisionId);
    if (entry === undefined) return;
    if (entry.role === 'serving') this.#scale(entry);
    else if (entry.role === 'retiring') this.#retire(entry);
  }

  #scale(entry: Awake): void {
    const { clock, gateway, executor, scaleOf, readingsOf, floorsOf } = this.#options;
    const { revision, wanted, servingSinceMs } = entry;
    const spec = scaleOf(revision.id);
    if (spec === undefined) return;
    const now = clock.now();
    const { spans } = spec;
    const window = recordDemand(entry.window, gateway.demandOf(revision.id), { now, spans });
    const ready = executor.instances(revision.id).filter(({ phase }) => phase === 'ready').length;
    const decision = decideScale({
      ...{ spec, window, ready, now },
      readings: readingsOf(revision, spec),
      floors: floorsOf(revision.id),
      history: entry.history,
      current: wanted,
    });
    this.#options.onNeed(revision, decision.needed);
    const newUntilMs = servingSinceMs + spec.idleAfterMs;
    const isNew = decision.wanted === 0 && now < newUntilMs;
    const next = isNew ? wanted : decision.wanted;
    const checkInMs = isNew ? newUntilMs - now : (decision.nextCheckMs ?? Number.POSITIVE_INFINITY);
    const { reason, cause } = decision;
    if (next !== wanted) this.#tell({ revision, from: wanted, to: next, reason, cause });
    if (next === 0) {
      this.#release(revision);
      return;
    }
    const checkAtMs = clock.monotonicMs() + checkInMs;
    const { history, needed } = decision;
    this.#awake.set(revision.id, { ...entry, wanted: next, needed, window, history, checkAtMs });
    this.#arm(checkAtMs);
    executor.ensure(revision, next);
    if (next > wanted) this.#publish(revision.id);
  }

  #retire(entry: Awake): void {
    const { clock, gateway } = this.#options;
    if (gateway.demandOf(entry.revision.id).queued === 0) {
      this.#release(entry.revision);
      return;
    }
    const checkAtMs = clock.monotonicMs() + limits.tickMs;
    this.#awake.set(entry.revision.id, { ...entry, checkAtMs });
    this.#arm(checkAtMs);
  }

  #release(revision: RunnableRevision): void {
    const { executor, gateway } = this.#options;
    this.#forget(revision.id);
    if (gateway.demandOf(revision.id).inFlight === 0) executor.ensure(revision, 0);
    else void this.#endWhenDrained(revision);
  }

  // I2, I3
  #forget(revisionId: string): void {
    this.#awake.delete(revisionId);
    this.#options.gateway.setEndpoints(revisionId, []);
    if (this.#awake.size > 0) return;
    this.#timer?.handle.cancel();
    this.#timer = undefined;
  }

  async #endWhenDrained(revision: RunnableRevision): Promise<void> {
    const { clock, executor, gateway } = this.#options;
    const over = new AbortController();
    const { drainMs } = revision.limits;
    const drained = executor
      .instances(revision.id)
      .map(({ id }) => gateway.drained(revision.id, id, drainMs));
    await Promise.race([
      Promise.all(drained).then(() => over.abort()),
      sleep(clock, drainMs, over.signal),
    ]);
    // It may have been called back meanwhile.
    if (this.#awake.has(revision.id)) return;
    executor.ensure(revision, 0);
    if (over.signal.aborted) return;
    // What is in flight still has had its time; the executor would give it as much once more.
    for (const { id } of executor.instances(revision.id)) executor.evict(id, limits.overdueMs);
  }
}

function toEndpoints({ id, phase, address, holdsCalls }: Instance): readonly Endpoint[] {
  const isThere = phase === 'ready' || (phase === 'starting' && holdsCalls !== false);
  if (address === undefined || !isThere) return [];
  const { socketPath, host, port } = address;
  const place = socketPath === undefined ? { host, port } : { socketPath };
  return [{ id, ...place, starting: phase === 'starting' }];
}
