/**
 * Owns the started Runners of one runtime that have no code yet, and who waits for one.
 *
 * I1. A warm Runner goes to a take in the same tick, unless as many load already as the processors
 *     can; then it waits for the end of one, or of its turn. A take that finds none adopts the
 *     Runner that starts next; one is started for it unless enough of them start already.
 * I2. Refilling yields to takes: it waits until those that were taken have loaded their code, a
 *     little longer, longer still while there are Runners left, and starts one Runner at a time.
 * I3. Nobody waits for a Runner while one is idle; but a part of them is left to Revisions that
 *     have no Instance, and starts for those go first. An idle one rehearses, so that the call it
 *     is taken for finds it quick.
 * I4. A cool pool holds no Runner that nobody waits for; the next take warms it again.
 * I5. Runners that die before they are warm are reported to whoever waits, and tried again with
 *     growing delays when nobody does: a broken runtime never spins.
 */
import { backoffDelayMs, type Clock, type Logger, type Timer } from '@fnlet/base';
import type { LoadFailure } from '@fnlet/invocation';
import { limits } from './limits.ts';
import { decidePoolSize, type PoolBounds, type PoolSize } from './pool-size.ts';
import type { Runner, RunnerOrder } from './runner.ts';
import type { StartSlots } from './start-slots.ts';

/** What becomes of a Runner until it is given code. */
export interface WarmingListener {
  onWarm(runner: Runner): void;
  onGone(runner: Runner, reason: string): void;
  /** It has loaded the code that it was given, or never will. */
  onLoaded(runner: Runner): void;
}

export interface WarmPoolOptions {
  readonly runtime: string;
  readonly bounds: PoolBounds;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Bounds how many Runners start at once over all pools. */
  readonly slots: StartSlots;
  /** How many may load code at the same time, of those that do so quickly. */
  readonly loadsMax: number;
  /** Before the first Runner that nobody has asked for, in milliseconds; that of a refill if absent. */
  readonly firstDelayMs?: number;
  /** Starts a Runner; may throw when the system refuses. */
  start(listener: WarmingListener): Runner;
}

/** How a pool stands, and what became of it since it was opened. */
export interface WarmPoolCounts {
  readonly idle: number;
  readonly starting: number;
  /** Runners that were asked for: of those that were idle, and of others. */
  readonly takenIdle: number;
  readonly takenLater: number;
  readonly started: number;
  /** Runners that could not be started, or died before they were warm. */
  readonly failed: number;
}

export type PoolOrder = Pick<RunnerOrder, 'rank' | 'isFurther'>;

interface Order extends PoolOrder {
  readonly deliver: (result: Runner | LoadFailure) => void;
}

export class WarmPool {
  readonly #options: WarmPoolOptions;
  readonly #idle: Runner[] = [];
  readonly #starting = new Map<Runner, Timer>();
  readonly #waiting = new Set<Order>();
  /** Those that were taken and load, and since when (monotonic). */
  readonly #loading = new Map<Runner, number>();
  readonly #takes: number[] = [];
  #failures = 0;
  #takenIdle = 0;
  #takenLater = 0;
  #started = 0;
  #failed = 0;
  #refillSinceMs: number | undefined;
  /** Since when (monotonic) a refill is due, and leaves the CPU to those that load. */
  #heldSinceMs: number | undefined;
  #refill: Timer | undefined;
  #shrink: Timer | undefined;
  /** The turn of the first of those that load is over. */
  #turn: Timer | undefined;
  /** Whether the last idle one was started for those who wait. */
  #isFresh = false;
  #cool = false;
  #closed = false;

  constructor(options: WarmPoolOptions) {
    this.#options = options;
    this.#deferRefill(options.firstDelayMs, options.firstDelayMs);
  }

  /** How many Runners could be taken in the same tick. */
  get idle(): number {
    return this.#idle.length;
  }

  counts(): WarmPoolCounts {
    return {
      idle: this.#idle.length,
      starting: this.#starting.size,
      takenIdle: this.#takenIdle,
      takenLater: this.#takenLater,
      started: this.#started,
      failed: this.#failed,
    };
  }

  take({ rank, isFurther }: PoolOrder, deliver: Order['deliver']): () => void {
    this.#cool = false;
    this.#takes.push(this.#options.clock.now());
    if (this.#takes.length > limits.takesMax) this.#takes.shift();
    const order: Order = { rank, isFurther, deliver };
    this.#waiting.add(order);
    if (this.#missing() > 0) this.#takenLater++;
    else this.#takenIdle++;
    this.#serve();
    this.#deferAfterTake();
    this.startForWaiting();
    return () => this.#waiting.delete(order);
  }

  /** Starts Runners for those who wait, as far as there are free slots. */
  startForWaiting(): void {
    const { slots } = this.#options;
    while (!this.#closed && this.#missing() > this.#starting.size && slots.take(this.#isUrgent())) {
      this.#start();
    }
  }

  /** How many wait that have no other Instance. */
  #firsts(): number {
    let count = 0;
    for (const { isFurther } of this.#waiting) if (!isFurther) count++;
    return count;
  }

  /** How many wait for whom no Runner is idle. */
  #missing(): number {
    const firsts = this.#firsts();
    const left = Math.max(0, this.#idle.length - firsts - this.#decideLeft());
    const furthers = this.#waiting.size - firsts;
    return Math.max(0, firsts - this.#idle.length) + Math.max(0, furthers - left);
  }

  /** Whether one that has no other Instance is to be served by the Runner that starts next. */
  #isUrgent(): boolean {
    return this.#firsts() > this.#idle.length + this.#starting.size;
  }

  /** How many Runners are not for those that have others. */
  #decideLeft(): number {
    return Math.max(1, Math.floor(this.#decideSize().size * limits.runnersLeftShare));
  }

  #deferAfterTake(): void {
    const { refillDelayMs, refillDelayMaxMs, calmRefillDelayMs, calmRefillDelayMaxMs } = limits;
    if (this.#idle.length > 0) this.#deferRefill(calmRefillDelayMs, calmRefillDelayMaxMs);
    else this.#deferRefill(refillDelayMs, refillDelayMaxMs);
  }

  /** Ends the Runners that nobody took, and starts none until somebody takes one. */
  cool(): void {
    this.#cool = true;
    this.#takes.length = 0;
    this.#endIdle();
  }

  /** Kills the Runners that nobody took. */
  close(): void {
    this.#closed = true;
    this.#endIdle();
    this.#turn?.cancel();
    this.#waiting.clear();
    for (const [runner, hung] of this.#starting) {
      hung.cancel();
      runner.signal('SIGKILL');
      this.#starting.delete(runner);
      this.#options.slots.release();
    }
  }

  #endIdle(): void {
    this.#refill?.cancel();
    this.#shrink?.cancel();
    for (const runner of this.#idle.splice(0)) runner.signal('SIGKILL');
  }

  /** Takes over a slot that was taken for this start. */
  #start(): void {
    const { clock, start } = this.#options;
    try {
      const runner = start({
        onWarm: (warm) => this.#onWarm(warm),
        onGone: (gone, reason) => this.#onGone(gone, reason),
        onLoaded: (loaded) => this.#onLoaded(loaded),
      });
      const hung = clock.after(limits.warmMs, () => runner.signal('SIGKILL'));
      this.#starting.set(runner, hung);
      this.#started++;
    } catch (error) {
      this.#onFailure(error instanceof Error ? error.message : String(error));
      this.#options.slots.release();
    }
  }

  #endStart(runner: Runner): boolean {
    this.#starting.get(runner)?.cancel();
    return this.#starting.delete(runner);
  }

  #onWarm(runner: Runner): void {
    if (!this.#endStart(runner)) return;
    this.#failures = 0;
    this.#deferRefill();
    this.#idle.push(runner);
    if (this.#waiting.size === 0) runner.rehearse();
    else {
      this.#isFresh = true;
      this.#serve();
      this.#isFresh = false;
    }
    this.#options.slots.release();
  }

  /** Gives idle Runners to those who wait, in order of their rank. */
  #serve(): void {
    while (this.#idle.length > 0) {
      const order = this.#nextOrder();
      if (order === undefined || (order.isFurther && !this.#maySpare())) return;
      const waitMs = this.#decideLoadWaitMs();
      if (waitMs > 0) {
        this.#serveLater(waitMs);
        return;
      }
      const runner = this.#idle.shift();
      if (runner === undefined) return;
      this.#waiting.delete(order);
      this.#loading.set(runner, this.#options.clock.monotonicMs());
      order.deliver(runner);
    }
  }

  /** I3: one that just got warm goes to whoever waits. */
  #maySpare(): boolean {
    return this.#idle.length > this.#decideLeft() || this.#isFresh;
  }

  /** How long the processors are taken by those that load; 0 when one more may. */
  #decideLoadWaitMs(): number {
    const nowMs = this.#options.clock.monotonicMs();
    const busy = [...this.#loading.values()].filter(
      (sinceMs) => sinceMs + limits.loadTurnMs > nowMs,
    );
    if (busy.length < this.#options.loadsMax) return 0;
    return Math.min(...busy) + limits.loadTurnMs - nowMs;
  }

  #serveLater(waitMs: number): void {
    this.#turn?.cancel();
    this.#turn = this.#options.clock.after(waitMs, () => this.#serve());
  }

  #onLoaded(runner: Runner): void {
    if (!this.#loading.delete(runner) || this.#closed) return;
    this.#serve();
    if (this.#loading.size === 0 && this.#heldSinceMs !== undefined) {
      this.#endHold(this.#heldSinceMs);
    }
  }

  #nextOrder(): Order | undefined {
    let next: Order | undefined;
    for (const order of this.#waiting) {
      if (next === undefined || order.rank < next.rank) next = order;
    }
    return next;
  }

  #onGone(runner: Runner, reason: string): void {
    if (this.#closed) return;
    if (this.#endStart(runner)) {
      this.#onFailure(reason);
      this.#options.slots.release();
      return;
    }
    const index = this.#idle.indexOf(runner);
    if (index < 0) return;
    this.#idle.splice(index, 1);
    this.#options.logger.warn('A warm Runner died', { runtime: this.#options.runtime, reason });
    this.#deferRefill();
  }

  #onFailure(reason: string): void {
    const { runtime, logger } = this.#options;
    this.#failures++;
    this.#failed++;
    logger.warn('A Runner died before it was warm', { runtime, reason });
    this.#deferRefill();
    if (this.#failures < limits.warmTriesMax) return;
    const message = `Cannot start a Runner of ${runtime}: ${reason}`;
    const orders = [...this.#waiting];
    this.#waiting.clear();
    for (const order of orders) order.deliver({ code: 'LoadError', message });
  }

  #decideSize(): PoolSize {
    if (this.#cool) return { size: 0, changesAtMs: undefined };
    return decidePoolSize(this.#takes, this.#options.clock.now(), this.#options.bounds);
  }

  // Each take pushes the refill back, up to the bound, so that a wake has the CPU for itself.
  #deferRefill(byMs: number = limits.refillDelayMs, maxMs: number = limits.refillDelayMaxMs): void {
    if (this.#closed) return;
    const { clock } = this.#options;
    const now = clock.monotonicMs();
    this.#refillSinceMs ??= now;
    const leftMs = this.#refillSinceMs + maxMs - now;
    const delayMs = Math.max(0, Math.min(byMs, leftMs));
    this.#refill?.cancel();
    this.#refill = clock.after(delayMs + this.#backoffMs(), () => this.#refillOne());
  }

  #backoffMs(): number {
    if (this.#failures === 0) return 0;
    const { refillBackoffBaseMs: baseMs, refillBackoffCapMs: capMs } = limits;
    return backoffDelayMs(this.#failures, { baseMs, capMs });
  }

  #refillOne(): void {
    const holdMs = this.#decideHoldMs();
    if (holdMs > 0) {
      this.#refill = this.#options.clock.after(holdMs, () => this.#refillOne());
      return;
    }
    this.#heldSinceMs = undefined;
    this.#refillSinceMs = undefined;
    const { size, changesAtMs } = this.#decideSize();
    for (const runner of this.#idle.splice(size)) runner.signal('SIGKILL');
    this.#scheduleShrink(changesAtMs);
    // Whoever waits, or a Runner that starts, comes back here when it is served.
    const missing = this.#waiting.size === 0 && this.#starting.size === 0;
    if (!missing || this.#idle.length >= size) return;
    if (this.#options.slots.take(false)) this.#start();
    else this.#deferRefill();
  }

  /** How long a refill that is due leaves the CPU to those that load; they may be ever new ones. */
  #decideHoldMs(): number {
    const nowMs = this.#options.clock.monotonicMs();
    const sinceMs = Math.max(...this.#loading.values());
    if (sinceMs + limits.loadingMs <= nowMs) return 0;
    this.#heldSinceMs ??= nowMs;
    return Math.min(sinceMs, this.#heldSinceMs) + limits.loadingMs - nowMs;
  }

  // The answers of those that loaded last are still on their way.
  #endHold(heldSinceMs: number): void {
    const { clock } = this.#options;
    const leftMs = Math.max(0, heldSinceMs + limits.loadingMs - clock.monotonicMs());
    this.#refill?.cancel();
    this.#refill = clock.after(Math.min(limits.refillDelayMs, leftMs), () => this.#refillOne());
  }

  #scheduleShrink(atMs: number | undefined): void {
    const { clock } = this.#options;
    this.#shrink?.cancel();
    if (atMs === undefined || this.#closed) return;
    this.#shrink = clock.after(atMs - clock.now(), () => this.#refillOne());
  }
}
