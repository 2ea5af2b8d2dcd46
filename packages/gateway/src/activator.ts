/**
 * Brings calls and Instances together: every call asks here for an upstream and waits here until
 * there is one.
 *
 * I1. At most `queuedMax` calls are parked in all, `queuedPerRevisionMax` for one Revision.
 * I2. A Revision that nobody calls, that has no Instance and that no route names costs nothing: its
 *     backend is forgotten.
 */
import type { Demand } from '@fnlet/scaling';
import { Backend, type BackendContext, type Waiter } from './backend.ts';
import type { RevisionMeter } from './metering/revision-meter.ts';
import type { Endpoint, Outage } from './route.ts';
import type { Upstream } from './upstream.ts';

export interface ActivatorContext extends BackendContext {
  /**
   * A Revision needs attention: a call of it was parked, or its first call after a pause arrived.
   * Runs in the tick of that call, often: take a note and return.
   */
  readonly onDemand: (revisionId: string) => void;
  /** Whether a route names this Revision, so that its counters are worth keeping. */
  readonly isRouted: (revisionId: string) => boolean;
}

const noDemand: Demand = {
  inFlight: 0,
  queued: 0,
  arrivals: 0,
  concurrencyMs: 0,
  busyMs: 0,
  served: 0,
  servedMs: 0,
  lastActiveMs: 0,
};

export class Activator {
  readonly #context: ActivatorContext;
  readonly #backends = new Map<string, Backend>();
  #queued = 0;

  constructor(context: ActivatorContext) {
    this.#context = context;
  }

  /** Where calls of a Revision meet its Instances. */
  backend(revisionId: string): Backend {
    const known = this.#backends.get(revisionId);
    if (known !== undefined) return known;
    const backend = new Backend(revisionId, this.#context, {
      onUnparked: () => {
        this.#queued--;
      },
      onIdle: () => this.forgetUnused(revisionId),
    });
    this.#backends.set(revisionId, backend);
    return backend;
  }

  /**
   * An entered upstream for a call, or where the call now waits. A parked waiter hears
   * `onUpstream`, or is taken back with {@link Backend.cancel}.
   */
  acquire(
    backend: Backend,
    call: {
      readonly waiter: Waiter;
      readonly except: Upstream | undefined;
      /** Whether this is another try of a call that was counted already. */
      readonly again: boolean;
      /** Monotonic. */
      readonly nowMs: number;
    },
  ): Upstream | 'parked' | 'full' {
    const { waiter, nowMs, except } = call;
    const { limits, onDemand } = this.#context;
    const wasActive = backend.active;
    if (!call.again) backend.countArrival();
    const upstream = backend.acquire(waiter, nowMs, except);
    if (upstream !== undefined) {
      if (!wasActive) onDemand(backend.revisionId);
      return upstream;
    }
    if (this.#queued >= limits.queuedMax || backend.queued >= limits.queuedPerRevisionMax) {
      return 'full';
    }
    this.#queued++;
    backend.park(waiter);
    onDemand(backend.revisionId);
    return 'parked';
  }

  setEndpoints(revisionId: string, endpoints: readonly Endpoint[], outage?: Outage): void {
    this.backend(revisionId).setEndpoints(endpoints, outage);
    this.forgetUnused(revisionId);
  }

  drained(revisionId: string, endpointId: string, withinMs: number): Promise<void> {
    return this.#backends.get(revisionId)?.drained(endpointId, withinMs) ?? Promise.resolve();
  }

  demandOf(revisionId: string): Demand {
    return this.#backends.get(revisionId)?.demand() ?? noDemand;
  }

  demand(): ReadonlyMap<string, Demand> {
    return new Map([...this.#backends].map(([id, backend]) => [id, backend.demand()]));
  }

  /** The Revisions of whose calls anything was counted. */
  *metered(): Iterable<{ readonly meter: RevisionMeter; readonly demand: Demand }> {
    for (const backend of this.#backends.values()) {
      const meter = backend.metered;
      if (meter !== undefined) yield { meter, demand: backend.demand() };
    }
  }

  /** The Function of this Revision is gone, unless another route names it. */
  dismiss(revisionId: string): void {
    if (!this.#context.isRouted(revisionId)) this.#backends.get(revisionId)?.dismiss();
  }

  forgetUnused(revisionId: string): void {
    const backend = this.#backends.get(revisionId);
    if (backend?.empty === true && !this.#context.isRouted(revisionId)) {
      this.#backends.delete(revisionId);
    }
  }

  forgetAllUnused(): void {
    for (const revisionId of this.#backends.keys()) this.forgetUnused(revisionId);
  }

  /** Ends answers that would go on until somebody does. */
  endStreams(): void {
    for (const backend of this.#backends.values()) backend.endStreams();
  }

  close(): void {
    for (const backend of this.#backends.values()) backend.close();
  }
}
