/**
 * Asks the function which objects are concerned by changes of others that its operator watches,
 * where no expression says it.
 *
 * I1. A change is asked about until it was answered: only then it is forgotten.
 * I2. What was there at the start is not asked about: then every object is looked at by itself.
 * I3. One question at a time; what changes meanwhile goes together into the next.
 * I4. What the function fails about goes to the end of the line, and is asked about in ever smaller
 *     parts: one change that it cannot map keeps no other from being mapped.
 */
import {
  backoffDelayMs,
  type Clock,
  errorMessage,
  FnletError,
  type Logger,
  sleep,
} from '@fnlet/base';
import type { CacheEvent } from '@fnlet/client';
import { type KubeObject, type ObjectKey, objectKey } from '@fnlet/machinery';
import type { RunCause } from '@fnlet/reconcile';
import type { KeyReference } from '@fnlet/sdk/operator';
import { contractVersion, type MapCall, parseMapAnswer } from '@fnlet/sdk/operator-wire';
import type { FunctionCaller } from '../call/function-caller.ts';
import { mapBatchMax, mapRetry } from '../limits.ts';
import type { LeasedCaches } from './leased-caches.ts';

export interface MapAskerOptions {
  /** `namespace/name` of the Operator object. */
  readonly operator: string;
  /** Which of its watches are asked about. */
  readonly watches: readonly number[];
  readonly caches: LeasedCaches;
  readonly caller: FunctionCaller;
  readonly timeoutMs: number;
  readonly enqueue: (key: ObjectKey, options: { readonly cause: RunCause }) => void;
  /** Told that `failure` has changed. */
  readonly onNews: () => void;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A change, or several of one object: how it was before them, and how it is after. */
interface Change {
  readonly watch: number;
  readonly event: CacheEvent<KubeObject>;
  readonly forms: readonly KubeObject[];
}

type Waiting = readonly [id: string, change: Change];

export class MapAsker {
  readonly name = 'map';
  readonly #options: MapAskerOptions;
  /** By watch and uid. */
  readonly #waiting = new Map<string, Change>();
  /** Changes that were asked about in vain. */
  readonly #failed = new Set<string>();
  #failure: string | undefined;
  /** Changes in the next question. */
  #batchMax = mapBatchMax;
  #wake = (): void => {};

  constructor(options: MapAskerOptions) {
    this.#options = options;
  }

  /** Why the function was asked in vain about some changes; `undefined`: it has answered. */
  get failure(): string | undefined {
    return this.#failure;
  }

  /** Asks until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { watches, caches } = this.#options;
    await Promise.race([
      Promise.all(watches.map((watch) => caches.watched[watch]?.cache.synced)),
      aborted(signal),
    ]);
    if (signal.aborted) return;
    const stops = watches.map((watch) => this.#follow(watch));
    try {
      await this.#work(signal);
    } finally {
      for (const stop of stops) stop();
      this.#waiting.clear();
    }
  }

  // I2
  #follow(watch: number): () => void {
    let isReplay = true;
    const stop = this.#options.caches.watched[watch]?.cache.subscribe((event) => {
      if (!isReplay) this.#note(watch, event);
    });
    isReplay = false;
    return stop ?? (() => {});
  }

  #note(watch: number, event: CacheEvent<KubeObject>): void {
    const { object } = event;
    const id = `${watch} ${object.metadata.uid}`;
    const [first] = this.#waiting.get(id)?.forms ?? [];
    const old = first ?? (event.kind === 'updated' ? event.old : undefined);
    const forms = old === undefined ? [object] : [old, object];
    this.#waiting.set(id, { watch, event, forms });
    this.#wake();
  }

  async #work(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    for (let failures = 0; !signal.aborted; ) {
      const batch = this.#nextBatch();
      if (batch.length === 0) {
        await Promise.race([this.#news(), aborted(signal)]);
        continue;
      }
      try {
        await this.#ask(batch, signal);
        failures = 0;
        this.#succeeded(batch);
      } catch (error) {
        if (signal.aborted) return;
        const busyMs = busyTimeOf(error);
        if (busyMs === undefined) this.#failedAbout(batch, error);
        await sleep(clock, busyMs ?? backoffDelayMs(++failures, mapRetry), signal);
      }
    }
  }

  #news(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  /** Changes of one watch, the one that waits longest first. */
  #nextBatch(): Waiting[] {
    const [first] = this.#waiting.values();
    const ofWatch = [...this.#waiting].filter(([, { watch }]) => watch === first?.watch);
    return ofWatch.slice(0, this.#batchMax);
  }

  // I1
  async #ask(batch: readonly Waiting[], signal: AbortSignal): Promise<void> {
    const { operator, caller, timeoutMs } = this.#options;
    const objects = batch.flatMap(([, { forms }]) => forms);
    const watch = batch[0]?.[1].watch ?? 0;
    const call: MapCall = { contract: contractVersion, operator, what: 'map', watch, objects };
    const question = { who: this.name, timeoutMs, signal };
    const answered = await caller.call(JSON.stringify(call), question);
    const { keys } = parseMapAnswer(answered, objects.length);
    let place = 0;
    for (const [id, change] of batch) {
      const concerned = keys.slice(place, place + change.forms.length).flat();
      place += change.forms.length;
      for (const reference of concerned) this.#enqueue(reference, change);
      if (this.#waiting.get(id) === change) this.#waiting.delete(id);
    }
  }

  #enqueue({ name, namespace }: KeyReference, { event }: Change): void {
    const { caches, enqueue } = this.#options;
    const home = caches.primaries.type.namespaced ? objectKey(event.object).namespace : '';
    enqueue({ name, namespace: namespace ?? home }, { cause: event });
  }

  #succeeded(batch: readonly Waiting[]): void {
    this.#batchMax = Math.min(mapBatchMax, this.#batchMax * 2);
    for (const [id] of batch) this.#failed.delete(id);
    if (this.#failed.size === 0) this.#tell(undefined);
  }

  // I4
  #failedAbout(batch: readonly Waiting[], error: unknown): void {
    const { logger, operator } = this.#options;
    const failure = errorMessage(error);
    logger.warn('Cannot find out whom changes concern', { operator, error: failure });
    this.#batchMax = Math.max(1, Math.floor(batch.length / 2));
    for (const [id] of batch) {
      const change = this.#waiting.get(id);
      if (change === undefined) continue;
      this.#waiting.delete(id);
      this.#waiting.set(id, change);
      this.#failed.add(id);
    }
    this.#tell(failure);
  }

  #tell(failure: string | undefined): void {
    if (failure === this.#failure) return;
    this.#failure = failure;
    this.#options.onNews();
  }
}

/** How long the function is not to be asked; `undefined`: it is not busy, but failing. */
function busyTimeOf(error: unknown): number | undefined {
  const retry = error instanceof FnletError ? error.retry : undefined;
  return typeof retry === 'object' ? retry.afterMs : undefined;
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
