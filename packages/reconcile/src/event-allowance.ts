import type { InvolvedObject } from './kube-event.ts';
import { eventBurst, eventRefillMs, knownEventsMax } from './limits.ts';

/**
 * How many Events may be written about each object: some at once, then one now and then
 * (client-go, EventSourceObjectSpamFilter). What an object does all the time would bury what
 * happens to it once, and everybody else's Events.
 */
export class EventAllowance {
  /** When the allowance of an object will be whole again; each Event pushes that on. */
  readonly #wholeMs = new Map<string, number>();

  /** Whether one more may be written; if so, it counts. */
  take({ apiVersion, kind, namespace, name, uid }: InvolvedObject, nowMs: number): boolean {
    const object = JSON.stringify([apiVersion, kind, namespace, name, uid]);
    const wholeMs = Math.max(this.#wholeMs.get(object) ?? nowMs, nowMs) + eventRefillMs;
    if (wholeMs - nowMs > eventBurst * eventRefillMs) return false;
    this.#wholeMs.delete(object);
    this.#wholeMs.set(object, wholeMs);
    const [oldest] = this.#wholeMs.keys();
    if (this.#wholeMs.size > knownEventsMax && oldest !== undefined) this.#wholeMs.delete(oldest);
    return true;
  }
}
