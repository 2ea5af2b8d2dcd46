/**
 * When a function may be called: not while it has said that it has no time, and not more often than
 * its Operator allows.
 *
 * I1. What one call learns of a busy function holds for all keys: they wait without calling.
 * I2. It has no timer: whoever is turned away is told when to come again.
 * I3. Whoever is turned away by the rate has a turn of its own, which nobody takes from it, and no
 *     second one however often it comes: what changes all the time keeps no other from its turn.
 * I4. What has begun is not turned away by the rate: a run of several calls comes to its end. Its
 *     further calls are counted, and whoever comes next waits for longer.
 *
 * The rate is the Generic Cell Rate Algorithm (ITU-T I.371): turns lie an interval apart, and as
 * many as are a burst may be taken late.
 */
import type { CallRate } from '@fnlet/api';
import type { Clock } from '@fnlet/base';
import { HubError } from '../hub-error.ts';
import { busyMaxMs, suspendedMs } from '../limits.ts';

/** Who wants to call. */
export interface CallTurn {
  /** The same for all tries of one object. */
  readonly who: string;
  /** Whether it is a further call of what has begun with another one. */
  readonly isFurther?: boolean | undefined;
}

export class CallGate {
  readonly #clock: Clock;
  /** Between two turns; 0: there is no rate. */
  readonly #intervalMs: number;
  /** How late a turn may be taken. */
  readonly #lateMs: number;
  #busyUntilMs = Number.NEGATIVE_INFINITY;
  #isSuspended = false;
  /** The last turn that was given to anybody. */
  #lastMs = Number.NEGATIVE_INFINITY;
  /** Turns of those that were turned away, in their order; one that was let pass is forgotten. */
  readonly #turns = new Map<string, number>();

  constructor({ clock, rate }: { readonly clock: Clock; readonly rate: CallRate | undefined }) {
    this.#clock = clock;
    this.#intervalMs = rate === undefined ? 0 : 1000 / rate.perSecond;
    this.#lateMs = (rate?.burst ?? rate?.perSecond ?? 1) * this.#intervalMs;
  }

  /**
   * Lets a call through, or says when to come again.
   *
   * @throws HubError `FunctionBusy`
   */
  pass({ who, isFurther = false }: CallTurn): void {
    if (this.#isSuspended) throw busy('it does not serve now', suspendedMs);
    const nowMs = this.#clock.monotonicMs();
    const waitMs = this.#busyUntilMs - nowMs;
    if (waitMs > 0) throw busy('it has asked for time', waitMs);
    if (this.#intervalMs === 0) return;
    this.#forgetMissed(nowMs);
    const turnMs = (isFurther ? undefined : this.#turns.get(who)) ?? this.#nextTurn(nowMs);
    if (turnMs <= nowMs || isFurther) {
      if (!isFurther) this.#turns.delete(who);
      return;
    }
    this.#turns.set(who, turnMs);
    throw busy('spec.rate allows no more calls now', turnMs - nowMs);
  }

  /** The function has said that it has no time for so long. */
  close(afterMs: number): void {
    const untilMs = this.#clock.monotonicMs() + Math.min(afterMs, busyMaxMs);
    this.#busyUntilMs = Math.max(this.#busyUntilMs, untilMs);
  }

  /** The function does not serve until `resume`. */
  suspend(): void {
    this.#isSuspended = true;
  }

  resume(): void {
    this.#isSuspended = false;
  }

  #nextTurn(nowMs: number): number {
    this.#lastMs = Math.max(this.#lastMs, nowMs - this.#lateMs) + this.#intervalMs;
    return this.#lastMs;
  }

  /** Else those who waited for a busy function would all come at once, and the gone be kept. */
  #forgetMissed(nowMs: number): void {
    for (const [who, turnMs] of this.#turns) {
      if (turnMs + this.#lateMs >= nowMs) return;
      this.#turns.delete(who);
    }
  }
}

/** The function is not to be called for so long. */
export function busy(why: string, afterMs: number): HubError {
  const waitMs = Math.ceil(afterMs);
  return new HubError('FunctionBusy', `Cannot call the function: ${why}`, {
    retry: { afterMs: waitMs },
    remedy: `It is called again in ${waitMs} ms`,
  });
}
