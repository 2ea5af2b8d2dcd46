/**
 * Looks at something outside the cluster every now and then.
 *
 * I1. One look at a time; the next begins a whole interval after the last ended. A failed one is
 *     repeated sooner, with growing pauses, and forgets nothing.
 * I2. What has a state wakes its key when that differs from the last look: new, changed, gone.
 */
import {
  backoffDelayMs,
  canonicalJson,
  errorMessage,
  parseDuration,
  sha256,
  sleep,
} from '@fnlet/base';
import { formatObjectKey, type ObjectKey, parseObjectKey } from '@fnlet/machinery';
import { initialListPriority, pollBackoffBaseMs, pollDeadlineMs } from '../limits.ts';
import type { Enqueue, Source, SourcePorts } from './source.ts';

/** Something that was found outside, and whom it concerns. */
export interface Finding {
  readonly key: ObjectKey;
  /** A JSON value: the key is run when it has changed. Without it: after every look. */
  readonly state?: unknown;
}

/** Finds what is there; `signal` aborts when it takes too long or nobody listens any more. */
export type Look = (signal: AbortSignal) => Promise<Iterable<Finding>>;

/**
 * A source that looks around by itself.
 *
 * @param interval such as `1m`
 * @example
 * poll('1m', async (signal) => {
 *   const buckets = await listBuckets({ signal });
 *   return buckets.map(({ owner, etag }) => ({ key: owner, state: etag }));
 * })
 */
export function poll(interval: string, look: Look): Source {
  const everyMs = parseDuration(interval);
  let poller: Poller | undefined;
  return {
    synced: Promise.resolve(),
    start(enqueue, ports) {
      const abort = new AbortController();
      poller = new Poller({ everyMs, look, enqueue, ports });
      void poller.run(abort.signal);
      return () => abort.abort();
    },
    known: () => poller?.known() ?? [],
  };
}

interface PollerOptions {
  readonly everyMs: number;
  readonly look: Look;
  readonly enqueue: Enqueue;
  readonly ports: SourcePorts;
}

class Poller {
  readonly #options: PollerOptions;
  /** By key, the digest of the state at the last look; `undefined` before the first. */
  #last: ReadonlyMap<string, string> | undefined;

  constructor(options: PollerOptions) {
    this.#options = options;
  }

  known(): ObjectKey[] {
    return [...(this.#last?.keys() ?? [])].map(parseObjectKey);
  }

  async run(signal: AbortSignal): Promise<void> {
    const { everyMs, ports } = this.#options;
    let failures = 0;
    do {
      failures = (await this.#look(signal)) ? 0 : failures + 1;
    } while (await sleep(ports.clock, this.#pauseMs(failures, everyMs), signal));
  }

  #pauseMs(failures: number, everyMs: number): number {
    if (failures === 0) return everyMs;
    const backoff = { baseMs: pollBackoffBaseMs, capMs: everyMs, jitter: 0.5 };
    return backoffDelayMs(failures, backoff, this.#options.ports.random);
  }

  /** Whether it went well. */
  async #look(signal: AbortSignal): Promise<boolean> {
    const { look, ports } = this.#options;
    const deadline = new AbortController();
    const abort = (): void => deadline.abort();
    const timer = ports.clock.after(pollDeadlineMs, abort);
    signal.addEventListener('abort', abort, { once: true });
    try {
      const findings = await look(deadline.signal);
      if (!signal.aborted) this.#compare(findings);
      return true;
    } catch (error) {
      if (!signal.aborted) ports.logger.warn(`Cannot poll a source: ${errorMessage(error)}`);
      return false;
    } finally {
      timer.cancel();
      signal.removeEventListener('abort', abort);
    }
  }

  // I2
  #compare(findings: Iterable<Finding>): void {
    const { enqueue } = this.#options;
    const before = this.#last;
    const now = new Map<string, string>();
    const isInitial = before === undefined;
    for (const { key, state } of findings) {
      const name = formatObjectKey(key);
      const digest = state === undefined ? '' : sha256(canonicalJson(state));
      now.set(name, digest);
      if (digest !== '' && before?.get(name) === digest) continue;
      enqueue(key, isInitial || digest === '' ? { priority: initialListPriority } : {});
    }
    for (const name of before?.keys() ?? []) {
      if (!now.has(name)) enqueue(parseObjectKey(name));
    }
    this.#last = now;
  }
}
