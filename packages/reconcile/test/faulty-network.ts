import { type Clock, type Random, randomInt } from '@fnlet/base';
import {
  type Transport,
  TransportError,
  type TransportRequest,
  type TransportResponse,
} from '@fnlet/client';
import type { NodeClock } from './node-clock.ts';

export interface FaultyNetworkOptions {
  /** The API behind the network. */
  readonly api: Transport;
  /** The world's time. */
  readonly clock: Clock;
  readonly random: Random;
  /** The machine that asks: what arrives while it is paused waits. */
  readonly node: NodeClock;
}

/** The way of one machine to the API: slow, lossy, and at times cut. */
export class FaultyNetwork implements Transport {
  readonly #options: FaultyNetworkOptions;
  /** Nothing gets through, in either direction. */
  isCut = false;
  /** The share of requests that are lost, or whose answers are lost, or that are very late. */
  faultShare = 0;

  constructor(options: FaultyNetworkOptions) {
    this.#options = options;
  }

  request(request: TransportRequest): Promise<TransportResponse> {
    const { node } = this.#options;
    return new Promise((resolve, reject) => {
      const abort = (): void => reject(new TransportError('Aborted', 'aborted'));
      request.signal?.addEventListener('abort', abort, { once: true });
      if (request.signal?.aborted === true) return abort();
      this.#carry(request).then(
        (response) => node.whenAwake(() => resolve(response)),
        (error: unknown) => node.whenAwake(() => reject(error)),
      );
    });
  }

  // Whether the caller still waits makes no difference to what is under way.
  async #carry({ signal: _, ...request }: TransportRequest): Promise<TransportResponse> {
    await this.#travel();
    if (this.isCut || this.#happens()) throw new TransportError('Unreachable', 'request lost');
    const response = await this.#options.api.request(request);
    await this.#travel();
    if (this.isCut || this.#happens()) throw new TransportError('Interrupted', 'answer lost');
    return response;
  }

  #travel(): Promise<void> {
    const { clock, random } = this.#options;
    const delayMs = randomInt(random, this.#happens() ? 20_000 : 30);
    return new Promise((resolve) => {
      clock.after(delayMs, resolve);
    });
  }

  #happens(): boolean {
    return this.#options.random.next() < this.faultShare;
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return Promise.resolve();
  }
}
