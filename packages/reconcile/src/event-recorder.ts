/**
 * Writes Kubernetes Events beside whatever else happens.
 *
 * I1. `record` takes a note and returns: no reconcile ever waits for an Event, or fails by one.
 * I2. The same statement about the same object raises the count of one Event, before it is written
 *     and for ten minutes after. Of many that differ in their message only, the last is told; see
 *     SimilarEvents.
 * I3. About one object, 25 writes may come at once, then one in five minutes. What is said beyond
 *     that is counted where its Event is known, and told with the next write of it.
 * I4. At most `pendingEventsMax` statements wait and `knownEventsMax` are remembered. What does not
 *     fit is dropped and counted in the log: Events tell, they do not decide.
 */
import {
  backoffDelayMs,
  type Clock,
  errorMessage,
  hasCode,
  type Logger,
  type Random,
  randomName,
  sleep,
} from '@fnlet/base';
import type { Client, ResourceClient } from '@fnlet/client';
import { type KubeObject, type ObjectKey, toKubeTime } from '@fnlet/machinery';
import { EventAllowance } from './event-allowance.ts';
import { eventType, type Happening, type InvolvedObject, type KubeEvent } from './kube-event.ts';
import {
  eventDrainMs,
  eventMessageCharactersMax,
  eventRepeatMs,
  eventTriesMax,
  knownEventsMax,
  pendingEventsMax,
} from './limits.ts';
import { SimilarEvents } from './similar-events.ts';

/** Tells users, in Events, what happens to their objects. */
export interface EventRecorder {
  readonly name: string;
  /** Notes that something happened to the object, and returns at once. */
  record(object: KubeObject, happening: Happening): void;
  /** Writes what is recorded until `signal` aborts, then what still waits, for two seconds. */
  run(signal: AbortSignal): Promise<void>;
}

export interface EventRecorderOptions {
  readonly client: Client;
  /** Who speaks; the FROM of `kubectl describe`. */
  readonly component: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** A statement that waits to be written, with its repetitions. */
interface Pending {
  readonly involved: InvolvedObject;
  happening: Happening;
  readonly firstMs: number;
  lastMs: number;
  count: number;
}

/** An Event that was written. */
interface Known {
  readonly key: ObjectKey;
  readonly message: string;
  readonly count: number;
  readonly lastMs: number;
}

/** A recorder in the name of `component`; it writes while it runs. */
export function createEventRecorder(options: EventRecorderOptions): EventRecorder {
  return new Recorder(options);
}

class Recorder implements EventRecorder {
  readonly name = 'events';
  readonly #options: EventRecorderOptions;
  readonly #client: ResourceClient<KubeEvent>;
  readonly #pending = new Map<string, Pending>();
  readonly #known = new Map<string, Known>();
  readonly #similar = new SimilarEvents();
  readonly #allowance = new EventAllowance();
  #dropped = 0;
  #written = 0;
  #wake: (() => void) | undefined;

  constructor(options: EventRecorderOptions) {
    this.#options = options;
    this.#client = options.client.of<KubeEvent>(eventType);
  }

  record(object: KubeObject, said: Happening): void {
    const involved = referTo(object);
    const nowMs = this.#options.clock.now();
    const { key, happening } = this.#similar.join(involved, said, nowMs);
    const waiting = this.#pending.get(key);
    if (waiting !== undefined) {
      waiting.count++;
      waiting.happening = happening;
      waiting.lastMs = nowMs;
    } else if (this.#pending.size >= pendingEventsMax) {
      this.#dropped++;
    } else if (!this.#allowance.take(involved, nowMs)) {
      this.#countUntold(key, nowMs);
    } else {
      this.#pending.set(key, { involved, happening, firstMs: nowMs, lastMs: nowMs, count: 1 });
    }
    this.#wake?.();
  }

  #countUntold(key: string, lastMs: number): void {
    const known = this.#known.get(key);
    if (known !== undefined) this.#known.set(key, { ...known, count: known.count + 1, lastMs });
  }

  async run(signal: AbortSignal): Promise<void> {
    const onAbort = (): void => this.#wake?.();
    signal.addEventListener('abort', onAbort, { once: true });
    while (!signal.aborted) {
      const [entry] = this.#pending;
      if (entry === undefined) await this.#idle(signal);
      else await this.#deliver(entry, signal);
    }
    signal.removeEventListener('abort', onAbort);
    await this.#drain();
  }

  #idle(signal: AbortSignal): Promise<void> {
    if (this.#dropped > 0) {
      this.#options.logger.warn(`Dropped ${this.#dropped} Events: more than could be written`);
      this.#dropped = 0;
    }
    return new Promise((resolve) => {
      this.#wake = resolve;
      if (signal.aborted) resolve();
    });
  }

  async #drain(): Promise<void> {
    const deadline = new AbortController();
    const timer = this.#options.clock.after(eventDrainMs, () => deadline.abort());
    for (const entry of this.#pending) {
      if (deadline.signal.aborted) break;
      await this.#deliver(entry, deadline.signal);
    }
    timer.cancel();
  }

  async #deliver([key, pending]: [string, Pending], signal: AbortSignal): Promise<void> {
    this.#pending.delete(key);
    const { clock, logger } = this.#options;
    for (let tries = 1; ; tries++) {
      try {
        this.#remember(key, await this.#write(key, pending, signal));
        return;
      } catch (error) {
        // The namespace is gone or going: nobody will read it.
        if (hasCode(error, 'NotFound') || hasCode(error, 'Forbidden') || signal.aborted) return;
        if (tries >= eventTriesMax) {
          logger.warn(`Cannot write Event "${pending.happening.reason}": ${errorMessage(error)}`);
          return;
        }
        await sleep(clock, backoffDelayMs(tries, { baseMs: 100, capMs: 5_000 }), signal);
      }
    }
  }

  async #write(key: string, pending: Pending, signal: AbortSignal): Promise<Known> {
    const known = this.#known.get(key);
    const { lastMs } = pending;
    const { message } = pending.happening;
    if (known !== undefined && lastMs - known.lastMs < eventRepeatMs) {
      const count = known.count + pending.count;
      const news =
        message === known.message ? {} : { message: message.slice(0, eventMessageCharactersMax) };
      const patch = { count, lastTimestamp: toKubeTime(lastMs), ...news };
      try {
        await this.#client.patch(known.key, { type: 'merge', patch }, { signal });
        return { key: known.key, message, count, lastMs };
      } catch (error) {
        // Events expire; then this one is new again.
        if (!hasCode(error, 'NotFound')) throw error;
      }
    }
    const event = this.#compose(pending);
    await this.#client.create(event, { signal });
    const { name, namespace = '' } = event.metadata;
    return { key: { name, namespace }, message, count: pending.count, lastMs };
  }

  #compose({ involved, happening, firstMs, lastMs, count }: Pending): KubeEvent {
    const { component, random } = this.#options;
    return {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: {
        name: `${involved.name}.${orderedSuffix(firstMs, this.#written++)}${randomName(random, 4)}`,
        namespace: involved.namespace ?? 'default',
      },
      involvedObject: involved,
      type: happening.type,
      reason: happening.reason,
      message: happening.message.slice(0, eventMessageCharactersMax),
      source: { component },
      reportingComponent: component,
      reportingInstance: '',
      firstTimestamp: toKubeTime(firstMs),
      lastTimestamp: toKubeTime(lastMs),
      count,
    };
  }

  #remember(key: string, known: Known): void {
    this.#known.delete(key);
    this.#known.set(key, known);
    if (this.#known.size <= knownEventsMax) return;
    const [oldest] = this.#known.keys();
    if (oldest !== undefined) this.#known.delete(oldest);
  }
}

// kubectl keeps the order of the list among Events of one second: names that sort by time tell the
// story as it happened. client-go does the same with nanoseconds.
function orderedSuffix(nowMs: number, sequence: number): string {
  const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0');
  return hex(Math.floor(nowMs), 12) + hex(sequence % 0x10000, 4);
}

function referTo({ apiVersion, kind, metadata }: KubeObject): InvolvedObject {
  const { name, namespace, uid, resourceVersion } = metadata;
  return {
    apiVersion,
    kind,
    name,
    ...(namespace === undefined ? {} : { namespace }),
    ...(uid === undefined ? {} : { uid }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  };
}
