/** Asynchronous calls on a virtual clock, with functions and callback servers as scripts. */
import { seededRandom, silentLogger, VirtualClock } from '@fnlet/base';
import type { Invocation, InvocationAnswer, InvocationFailure } from '@fnlet/invocation';
import type { Store } from '@fnlet/store';
import { AsyncCalls, type AsyncLimits, type CallbackMessage, type CallView } from '../src/async.ts';

export type Outcome = InvocationAnswer | InvocationFailure;
export type Function = (invocation: Invocation, signal: AbortSignal) => Outcome | Promise<Outcome>;

export interface AsyncWorldOptions {
  readonly store: Store;
  readonly clock?: VirtualClock;
  readonly seed?: number;
  readonly limits?: Partial<AsyncLimits>;
  /** Default: answers 200 with the body that it got. */
  readonly function?: Function;
  /** Default: takes everything. */
  readonly onCallback?: (message: CallbackMessage) => number | Promise<number>;
}

export class AsyncWorld {
  readonly clock: VirtualClock;
  readonly calls: AsyncCalls;
  readonly invocations: Invocation[] = [];
  readonly callbacks: CallbackMessage[] = [];
  readonly #store: Store;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;

  constructor(options: AsyncWorldOptions) {
    const { store, seed = 1, limits = {} } = options;
    this.#store = store;
    this.clock = options.clock ?? new VirtualClock();
    this.calls = new AsyncCalls({
      store,
      clock: this.clock,
      random: seededRandom(seed),
      logger: silentLogger,
      limits,
      invoke: async (invocation, signal) => {
        this.invocations.push(invocation);
        return (options.function ?? echo)(invocation, signal);
      },
      callbacks: {
        refuse: (url) => (url.includes('forbidden') ? 'it is forbidden' : undefined),
        send: async (message) => {
          this.callbacks.push(message);
          return options.onCallback?.(message) ?? 204;
        },
      },
    });
    this.#running = this.calls.run(this.#stop.signal);
  }

  /** Accepts a call of `default/hello`, or of another. */
  accept(
    headers: Readonly<Record<string, string>> = {},
    what: { readonly name?: string; readonly body?: string; readonly method?: string } = {},
  ): Promise<CallView> {
    const { name = 'hello', body = 'body', method = 'POST' } = what;
    return this.calls.accept({
      namespace: 'default',
      function: name,
      method,
      target: '/path?query',
      headers: Object.entries(headers),
      body: Buffer.from(body),
      remoteAddress: '192.0.2.1',
    });
  }

  /** Lets time pass, and what follows from it happen, until `condition` holds. */
  async until(condition: () => boolean, stepMs = 0): Promise<void> {
    for (let turn = 0; !condition(); turn++) {
      if (turn > 10_000) throw new Error('The condition never held');
      await this.clock.advance(stepMs);
      // A try is two writes: time stands still until the disk has caught up.
      for (let write = 0; write < 3; write++) await this.#store.write([]);
    }
  }

  async untilState(id: string, state: CallView['state'], stepMs = 0): Promise<CallView> {
    await this.until(() => this.calls.find(id).state === state, stepMs);
    return this.calls.find(id);
  }

  /** Ends it in an orderly way. */
  async close(): Promise<void> {
    this.calls.close();
    this.#stop.abort();
    let over = false;
    const ended = this.#running.finally(() => {
      over = true;
    });
    await this.until(() => over, 1_000);
    await ended;
  }
}

function echo({ body }: Invocation): Outcome {
  return answer(200, Buffer.from(body).toString());
}

export function answer(status: number, body = '', headers: Invocation['headers'] = []): Outcome {
  return { kind: 'answered', status, headers, body: Buffer.from(body), truncated: false };
}

/** The Gateway could not reach the function. */
export function unreached(retryAfterMs?: number): Outcome {
  const why = { reason: 'QueueFull', message: 'Too many calls wait', reached: false, retryAfterMs };
  return { kind: 'failed', status: 503, ...why };
}

/** A function that answers one thing after the other, and then the last for ever. */
export function inTurn(...outcomes: readonly Outcome[]): Function {
  let n = 0;
  return () => outcomes[Math.min(n++, outcomes.length - 1)] ?? answer(200);
}
