import { AsyncLocalStorage } from 'node:async_hooks';
import type { Clock } from '@fnlet/base';
import type { Transport } from '@fnlet/client';

/** What a run is known by outside of this process, and what its time went into. */
export interface Trace {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /**
   * The header by which others tie what they do to this run (W3C Trace Context). Requests to the
   * API carry it; give it to everything else that the run asks.
   */
  readonly traceparent: string;
  /** Does a part of the run; how long it took stands in the log under this name. */
  phase<T>(name: string, act: () => Promise<T>): Promise<T>;
}

// Only whose call this is, never anything about the world: it lives as long as the call does.
const current = new AsyncLocalStorage<RunTrace>();

/** The trace of one run, as it grows. */
export class RunTrace implements Trace {
  readonly traceId: string;
  readonly #clock: Clock;
  readonly #startMs: number;
  readonly #phasesMs = new Map<string, number>();
  #requests = 0;

  constructor(traceId: string, clock: Clock) {
    this.traceId = traceId;
    this.#clock = clock;
    this.#startMs = clock.monotonicMs();
  }

  get traceparent(): string {
    // The run is the only span that we tell of: its id need be unique in its trace only, and not
    // zero. 01: whoever records traces is asked to record this one.
    return `00-${this.traceId}-${this.traceId.slice(0, 16)}-01`;
  }

  /** Does what belongs to this run: requests that it sends are the run's. */
  within<T>(act: () => T): T {
    return current.run(this, act);
  }

  async phase<T>(name: string, act: () => Promise<T>): Promise<T> {
    const startMs = this.#clock.monotonicMs();
    try {
      return await act();
    } finally {
      const tookMs = this.#clock.monotonicMs() - startMs;
      this.#phasesMs.set(name, (this.#phasesMs.get(name) ?? 0) + tookMs);
    }
  }

  countRequest(): void {
    this.#requests += 1;
  }

  /** For the log: how long it has taken, how long each phase, and how many requests it sent. */
  summary(): Readonly<Record<string, number>> {
    const phases = Array.from(this.#phasesMs, ([name, ms]) => [`${name}Ms`, rounded(ms)] as const);
    return {
      tookMs: rounded(this.#clock.monotonicMs() - this.#startMs),
      requests: this.#requests,
      ...Object.fromEntries(phases),
    };
  }
}

/** The transport; requests that a run sends say so. */
export function tracedTransport(transport: Transport): Transport {
  return {
    request(request) {
      const trace = current.getStore();
      if (trace === undefined) return transport.request(request);
      trace.countRequest();
      const { traceparent } = trace;
      return transport.request({ ...request, headers: { ...request.headers, traceparent } });
    },
    close: () => transport.close(),
    [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose](),
  };
}

function rounded(ms: number): number {
  return Math.round(ms * 100) / 100;
}
