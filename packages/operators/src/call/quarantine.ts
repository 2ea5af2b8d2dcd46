/**
 * Which object takes down the Instances that are asked about it, so that it takes no others along:
 * an Instance that crashes, or whose thread is stuck, loses all calls that it has.
 *
 * I1. Who loses an Instance alone is the one: it waits, for longer each time, unless it changes.
 * I2. Who loses one together with others is not known to be it. No try is counted, and for a while
 *     calls go one by one, until it is found out.
 * I3. An answer clears whom it is about. At most `quarantinedMax` are remembered.
 */
import { backoffDelayMs, type Clock } from '@fnlet/base';
import { aloneMs, aloneRetryMs, quarantineBackoff, quarantinedMax } from '../limits.ts';
import { busy } from './call-gate.ts';

/** Who is asked about. */
export interface Asked {
  /** The object, by its uid. */
  readonly who: string;
  /** Its state: another one is worth a try at once. */
  readonly state: string;
}

/** A call that is under way. */
export interface AskedCall extends Asked {
  /** Whether another one was, too, at any time. */
  isShared: boolean;
}

interface Suspect {
  readonly state: string;
  readonly times: number;
  readonly untilMs: number;
}

export class Quarantine {
  readonly #clock: Clock;
  readonly #calls = new Set<AskedCall>();
  readonly #suspects = new Map<string, Suspect>();
  #aloneUntilMs = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * A call begins, to be followed by `answered` or `lost`.
   *
   * @throws HubError `FunctionBusy`: when to come again
   */
  begin({ who, state }: Asked): AskedCall {
    const nowMs = this.#clock.monotonicMs();
    const suspect = this.#suspects.get(who);
    if (suspect?.state === state && suspect.untilMs > nowMs) {
      throw busy('its Instance went away the last time', suspect.untilMs - nowMs);
    }
    if (this.#calls.size > 0 && this.#aloneUntilMs > nowMs) {
      throw busy('an Instance went away, so objects are asked about one by one', aloneRetryMs);
    }
    const isShared = this.#calls.size > 0;
    if (isShared) for (const other of this.#calls) other.isShared = true;
    const call = { who, state, isShared };
    this.#calls.add(call);
    return call;
  }

  // I3
  answered(call: AskedCall): void {
    this.#calls.delete(call);
    this.#suspects.delete(call.who);
  }

  /** Nobody answered, for whatever reason that says nothing of Instances. */
  ended(call: AskedCall): void {
    this.#calls.delete(call);
  }

  /**
   * The Instance went away with the call.
   *
   * @throws HubError `FunctionBusy` when it may have been for another call (I2)
   */
  lost(call: AskedCall): void {
    const nowMs = this.#clock.monotonicMs();
    const { who, state, isShared } = call;
    this.#calls.delete(call);
    this.#aloneUntilMs = nowMs + aloneMs;
    if (isShared) throw busy('its Instance went away with several calls', aloneRetryMs);
    const before = this.#suspects.get(who);
    const times = before?.state === state ? before.times + 1 : 1;
    this.#suspects.delete(who);
    const untilMs = nowMs + backoffDelayMs(times, quarantineBackoff);
    this.#suspects.set(who, { state, times, untilMs });
    const [oldest] = this.#suspects.keys();
    if (this.#suspects.size > quarantinedMax && oldest !== undefined) this.#suspects.delete(oldest);
  }
}
