/**
 * What a process of an operator stands on: its clock, and its way to the API.
 *
 * I1. After `kill` nothing of it happens any more: no timer fires, no answer arrives.
 * I2. While it is cut off no request gets through, and what is under way is lost or has lost its
 *     answer.
 * I3. While it is deaf its watches bring nothing; what they missed comes afterwards.
 */
import type { Clock, Timer } from '@fnlet/base';
import {
  type Transport,
  TransportError,
  type TransportRequest,
  type TransportResponse,
} from '@fnlet/client';

export class SimulatedProcess implements Clock, Transport {
  readonly #clock: Clock;
  readonly #api: Transport;
  readonly #dead = new AbortController();
  readonly #timers = new Set<Timer>();
  #hearing = Promise.withResolvers<void>();
  isCut = false;

  constructor(clock: Clock, api: Transport) {
    this.#clock = clock;
    this.#api = api;
    this.#hearing.resolve();
  }

  kill(): void {
    this.#dead.abort();
    for (const timer of this.#timers) timer.cancel();
    this.#timers.clear();
  }

  set isDeaf(isDeaf: boolean) {
    this.#hearing.resolve();
    if (isDeaf) this.#hearing = Promise.withResolvers();
  }

  now(): number {
    return this.#clock.now();
  }

  monotonicMs(): number {
    return this.#clock.monotonicMs();
  }

  after(delayMs: number, callback: () => void): Timer {
    if (this.#dead.signal.aborted) return { cancel() {} };
    const timer = this.#clock.after(delayMs, () => {
      this.#timers.delete(timer);
      callback();
    });
    this.#timers.add(timer);
    return timer;
  }

  async request(request: TransportRequest): Promise<TransportResponse> {
    if (this.isCut) throw new TransportError('Unreachable', 'Cannot connect: the network is cut');
    const { signal } = request;
    const [own, dead] = [signal === undefined ? [] : [signal], this.#dead.signal];
    const asked = this.#api.request({ ...request, signal: AbortSignal.any([...own, dead]) });
    const response = await this.#arrival(asked);
    return {
      status: response.status,
      headers: response.headers,
      json: () => this.#arrival(response.json()),
      documents: () => this.#heard(response.documents()),
      bytes: () => this.#heard(response.bytes()),
    };
  }

  async *#heard<T>(items: AsyncIterable<T>): AsyncGenerator<T> {
    const source = items[Symbol.asyncIterator]();
    try {
      for (;;) {
        const next = await this.#arrival(source.next());
        if (next.done === true) return;
        await this.#arrival(this.#hearing.promise);
        yield next.value;
      }
    } finally {
      void source.return?.();
    }
  }

  /** What arrives here, if anything does (I1, I2). */
  async #arrival<T>(coming: Promise<T>): Promise<T> {
    const [outcome] = await Promise.allSettled([coming]);
    if (this.#dead.signal.aborted) await never;
    if (this.isCut) throw new TransportError('Interrupted', 'The network was cut');
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

const never = new Promise<never>(() => {});
