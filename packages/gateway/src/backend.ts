/**
 * What stands behind one Revision: its upstreams, the calls parked for it, and what it is asked.
 *
 * I1. A call waits only while no upstream has room for it; parked calls leave in the order they
 *     came. While the first Instance starts, the next of them may go ahead to it; it still waits.
 * I2. inFlight is the sum over all upstreams, retired ones included.
 * I3. Every parked call leaves exactly once: to an upstream, or by `cancel`.
 */
import type { Timer } from '@fnlet/base';
import type { Demand } from '@fnlet/scaling';
import type { Balancer, Placement, ZonedPlaces } from './balancer.ts';
import { mayEjectOneMore } from './health.ts';
import type { WakeTimes } from './metering/cold-start.ts';
import { RevisionMeter } from './metering/revision-meter.ts';
import { growRetryBudget, openRetryBudget, type RetryBudget } from './retry-budget.ts';
import { type Endpoint, isSameAddress, type Outage, type Route } from './route.ts';
import { Upstream, type UpstreamContext, type UpstreamListener } from './upstream.ts';

/** A call that waits for an upstream. */
export interface Waiter extends Placement {
  /** The upstream is entered; whoever gets it leaves it when the call is over. */
  onUpstream(upstream: Upstream): void;
  /** It is the next to leave, and this is the Instance that it waits for. */
  onStarting(upstream: Upstream): void;
  /** No Instance will be there before `untilMs` (monotonic). It may go on waiting, or cancel. */
  onOutage(outage: Outage, untilMs: number): void;
  /** There will be no Instance: the Function is gone. It cancels. */
  onGone(): void;
}

export interface BackendContext extends UpstreamContext {
  readonly balancer: Balancer;
}

/** Who keeps the backend. */
export interface BackendOwner {
  /** A parked call left the queue. */
  onUnparked(): void;
  /** The last call in flight or parked is over. */
  onIdle(): void;
}

export class Backend implements UpstreamListener {
  readonly revisionId: string;
  readonly #context: BackendContext;
  readonly #owner: BackendOwner;
  /** Those that take calls. */
  #upstreams: Upstream[] = [];
  /** The same, where some of them are near and others are not. */
  #zoned: ZonedPlaces<Upstream> | undefined;
  #starting: Upstream[] = [];
  readonly #retiring = new Set<Upstream>();
  readonly #waiters = new Set<Waiter>();
  #roomTimer: { readonly handle: Timer; readonly dueMs: number } | undefined;
  #retryBudget: RetryBudget;
  #outage: { readonly why: Outage; readonly untilMs: number } | undefined;
  #serving = false;
  #inFlight = 0;
  #arrivals = 0;
  /** Summed up to `#summedMs` (monotonic): calls in flight, and those that wait for them to end. */
  #busyMs = 0;
  #waitedMs = 0;
  #summedMs: number;
  #served = 0;
  #servedMs = 0;
  #lastActiveMs = 0;
  /** When (monotonic) an Instance was asked for because calls wait and there is none. */
  #askedMs: number | undefined;
  #meter: RevisionMeter | undefined;

  constructor(revisionId: string, context: BackendContext, owner: BackendOwner) {
    this.revisionId = revisionId;
    this.#context = context;
    this.#owner = owner;
    this.#summedMs = context.clock.monotonicMs();
    this.#retryBudget = openRetryBudget(this.#summedMs, context.limits);
  }

  get queued(): number {
    return this.#waiters.size;
  }

  /** Whether a call is in flight or parked. */
  get active(): boolean {
    return this.#inFlight > 0 || this.#waiters.size > 0;
  }

  /** Whether nothing would be lost by forgetting it. */
  get empty(): boolean {
    return !this.active && this.#all.length === 0 && this.#retiring.size === 0;
  }

  /** Whether there is an Instance that takes calls, busy or not. */
  get hasUpstreams(): boolean {
    return this.#upstreams.length > 0;
  }

  demand(): Demand {
    this.#sumUp();
    return {
      inFlight: this.#inFlight,
      queued: this.#waiters.size,
      arrivals: this.#arrivals,
      concurrencyMs: this.#busyMs + this.#waitedMs,
      busyMs: this.#busyMs,
      served: this.#served,
      servedMs: this.#servedMs,
      lastActiveMs: this.active ? this.#context.clock.now() : this.#lastActiveMs,
    };
  }

  /** Counts what becomes of the calls; made with the first. `route`: one that leads here. */
  meter({ namespace, function: name }: Pick<Route, 'namespace' | 'function'>): RevisionMeter {
    this.#meter ??= new RevisionMeter({
      namespace,
      function: name,
      revision: this.revisionId.slice(namespace.length + 1),
    });
    return this.#meter;
  }

  /** What was counted, if anything was. */
  get metered(): RevisionMeter | undefined {
    return this.#meter;
  }

  /** How the Instance came about that a call waited for. */
  wakeTimes({ startedMs, readyMs }: Upstream): Omit<WakeTimes, 'arrivedMs' | 'answeredMs'> {
    return { askedMs: this.#askedMs ?? startedMs, startedMs, readyMs };
  }

  countArrival(): void {
    this.#arrivals++;
  }

  /** An Instance answered a call in full, so long after it was sent there. */
  countServed(tookMs: number): void {
    this.#served++;
    this.#servedMs += tookMs;
  }

  /** An entered upstream with room, not `except` if another is there; `undefined`: park. */
  acquire(placement: Placement, nowMs: number, except?: Upstream): Upstream | undefined {
    if (this.#waiters.size > 0) return undefined;
    return this.#enter(placement, nowMs, except);
  }

  park(waiter: Waiter): void {
    this.#sumUp();
    this.#waiters.add(waiter);
    this.#sendAhead();
    if (this.#outage !== undefined) waiter.onOutage(this.#outage.why, this.#outage.untilMs);
  }

  /** Takes a call out of the queue. */
  cancel(waiter: Waiter): void {
    this.#sumUp();
    if (!this.#waiters.delete(waiter)) return;
    this.#owner.onUnparked();
    this.#checkIdle();
  }

  /** Ends a call that had entered `upstream`. */
  leave(upstream: Upstream, nowMs: number): void {
    this.#sumUp(nowMs);
    this.#inFlight--;
    upstream.leave();
    this.#checkIdle();
  }

  /** Whether the calls that arrived pay for another attempt of one; then it is paid. */
  payRetry(nowMs: number): boolean {
    const now = { nowMs, arrivals: this.#arrivals };
    const budget = growRetryBudget(this.#retryBudget, now, this.#context.limits);
    const isEnough = budget.retries >= 1;
    this.#retryBudget = isEnough ? { ...budget, retries: budget.retries - 1 } : budget;
    return isEnough;
  }

  setEndpoints(endpoints: readonly Endpoint[], outage?: Outage): void {
    this.#sumUp();
    const nowMs = this.#context.clock.monotonicMs();
    this.#outage = outage && { why: outage, untilMs: nowMs + outage.retryAfterMs };
    if (this.#upstreams.length > 0) this.#askedMs = undefined;
    else if (this.#waiters.size > 0) this.#askedMs ??= nowMs;
    const before = new Map(this.#all.map((upstream) => [upstream.endpoint.id, upstream]));
    const [ready, starting]: [Upstream[], Upstream[]] = [[], []];
    for (const endpoint of endpoints) {
      const known = before.get(endpoint.id);
      const isSame = known !== undefined && isSameAddress(known.endpoint, endpoint);
      if (isSame) before.delete(endpoint.id);
      const upstream = isSame ? known : this.#open(endpoint);
      upstream.near = endpoint.near;
      if (!upstream.ejected) upstream.pardon();
      (endpoint.starting === true ? starting : ready).push(upstream);
    }
    this.#join(ready, nowMs);
    this.#starting = starting;
    for (const upstream of before.values()) {
      this.#retiring.add(upstream);
      upstream.retire();
    }
    this.onRoom();
    this.#sendAhead();
    if (this.#outage === undefined) return;
    for (const waiter of this.#waiters) waiter.onOutage(this.#outage.why, this.#outage.untilMs);
  }

  /** Resolves once nothing is in flight on an endpoint that was removed; see {@link Upstream.drained}. */
  drained(endpointId: string, withinMs: number): Promise<void> {
    const upstream = [...this.#all, ...this.#retiring].find(
      ({ endpoint }) => endpoint.id === endpointId,
    );
    return upstream?.drained(withinMs) ?? Promise.resolve();
  }

  onDrained(upstream: Upstream): void {
    this.#retiring.delete(upstream);
    if (!this.active) this.#owner.onIdle();
  }

  /** Serves parked calls as long as there is room. Calls that end meanwhile do not nest. */
  onRoom(): void {
    if (this.#serving || this.#waiters.size === 0) return;
    this.#serving = true;
    for (const waiter of this.#waiters) {
      const upstream = this.#enter(waiter, this.#context.clock.monotonicMs());
      if (upstream === undefined) break;
      this.#waiters.delete(waiter);
      this.#owner.onUnparked();
      waiter.onUpstream(upstream);
    }
    this.#serving = false;
  }

  onEjected(): void {
    this.#meter?.onEjected();
  }

  mayEject(): boolean {
    const ejected = this.#upstreams.filter((upstream) => upstream.ejected).length;
    return mayEjectOneMore(this.#upstreams.length, ejected);
  }

  onOut(untilMs: number): void {
    if (this.#roomTimer !== undefined && this.#roomTimer.dueMs <= untilMs) return;
    this.#roomTimer?.handle.cancel();
    const { clock } = this.#context;
    const handle = clock.after(Math.max(0, untilMs - clock.monotonicMs()), () => this.#onBack());
    this.#roomTimer = { handle, dueMs: untilMs };
  }

  /** Nothing will serve what waits here. */
  dismiss(): void {
    for (const waiter of [...this.#waiters]) waiter.onGone();
  }

  /** Ends answers that would go on until somebody does. */
  endStreams(): void {
    for (const upstream of [...this.#all, ...this.#retiring]) upstream.endStreams();
  }

  /** Closes every idle connection. */
  close(): void {
    this.#roomTimer?.handle.cancel();
    this.setEndpoints([]);
  }

  get #all(): readonly Upstream[] {
    return [...this.#upstreams, ...this.#starting];
  }

  #open(endpoint: Endpoint): Upstream {
    const upstream = new Upstream(endpoint, this.#context, this);
    if (endpoint.starting === true) upstream.connectAhead(upstream.startedMs);
    return upstream;
  }

  #sendAhead(): void {
    if (this.#upstreams.length > 0) return;
    const [next] = this.#waiters;
    const [first] = this.#starting;
    if (first !== undefined) next?.onStarting(first);
  }

  /** Replaces those that take calls. Who joins others starts slowly; the last are never ejected. */
  #join(ready: Upstream[], nowMs: number): void {
    const before = new Set(this.#upstreams);
    for (const upstream of ready) if (!before.has(upstream)) upstream.readyMs = nowMs;
    if (ready.some((upstream) => before.has(upstream))) {
      for (const upstream of ready) if (!before.has(upstream)) upstream.startSlowly(nowMs);
    }
    if (ready.every(({ ejected }) => ejected)) for (const upstream of ready) upstream.pardon();
    this.#upstreams = ready;
    const near = ready.filter((upstream) => upstream.near === true);
    const isZoned = near.length > 0 && near.length < ready.length;
    this.#zoned = isZoned ? { all: ready, near } : undefined;
  }

  /** The time of one that was out is over. */
  #onBack(): void {
    this.#roomTimer = undefined;
    const nowMs = this.#context.clock.monotonicMs();
    let nextMs = Number.POSITIVE_INFINITY;
    for (const { outUntilMs } of this.#upstreams) {
      if (outUntilMs > nowMs) nextMs = Math.min(nextMs, outUntilMs);
    }
    if (nextMs < Number.POSITIVE_INFINITY) this.onOut(nextMs);
    this.onRoom();
  }

  #enter(placement: Placement, nowMs: number, except?: Upstream): Upstream | undefined {
    const upstream = this.#pick(placement, nowMs, except);
    if (upstream === undefined) return undefined;
    this.#sumUp(nowMs);
    upstream.enter();
    this.#inFlight++;
    if (upstream.near !== undefined) this.#meter?.onZone(upstream.near);
    return upstream;
  }

  /** Another attempt may go anywhere: what failed the first one may be the zone. */
  #pick(placement: Placement, nowMs: number, except?: Upstream): Upstream | undefined {
    const { balancer } = this.#context;
    const all = this.#upstreams;
    if (except !== undefined && all.length > 1) {
      const others = all.filter((upstream) => upstream !== except);
      return balancer.pick(others, placement, nowMs);
    }
    return this.#zoned === undefined
      ? balancer.pick(all, placement, nowMs)
      : balancer.pickNearby(this.#zoned, placement, nowMs);
  }

  /** To be called before anything changes that counts as concurrency. */
  #sumUp(nowMs: number = this.#context.clock.monotonicMs()): void {
    const passedMs = nowMs - this.#summedMs;
    this.#busyMs += this.#inFlight * passedMs;
    if (this.#upstreams.length > 0) this.#waitedMs += this.#waiters.size * passedMs;
    this.#summedMs = nowMs;
  }

  #checkIdle(): void {
    if (this.active) return;
    this.#lastActiveMs = this.#context.clock.now();
    this.#owner.onIdle();
  }
}
