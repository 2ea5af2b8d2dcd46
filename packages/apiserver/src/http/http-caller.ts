import type { EventFlow } from '../request/event-batches.ts';
import type { HttpExchange } from './http-exchange.ts';
import type { OpenCaller, OpenCallers } from './open-callers.ts';

// Made once: without a reason every abort would make an error with a stack.
const gone = new Error('The client has left, or the server closes');

function ignore(): void {}

/**
 * Whether the client of a request is still there. Signals cost more than many an answer, so there
 * is one only for those who ask for it: watches and logs.
 */
export class HttpCaller implements OpenCaller {
  /** Resolves when the answer is out, or nobody will take it any more. */
  readonly closed: Promise<void>;
  readonly #open: OpenCallers;
  #leaving: AbortController | undefined;
  #flow: EventFlow | undefined;
  #hasLeft = false;

  /** @param open who must be told when the front closes */
  constructor({ incoming, outgoing }: HttpExchange, open: OpenCallers) {
    this.#open = open;
    // Without a listener a broken connection would be an uncaught error; its end is told by close.
    incoming.on('error', ignore);
    outgoing.on('error', ignore);
    this.closed = new Promise((resolve) => {
      outgoing.once('close', () => {
        this.#hasLeft = true;
        this.#open.delete(this);
        this.leave();
        resolve();
      });
    });
  }

  get hasLeft(): boolean {
    return this.#hasLeft;
  }

  /** Aborts when the client leaves or the front closes. */
  get signal(): AbortSignal {
    if (this.#leaving === undefined) {
      this.#leaving = new AbortController();
      if (this.#hasLeft) this.leave();
      else this.#open.add(this);
    }
    return this.#leaving.signal;
  }

  /** Closes the flow when the client leaves or the front closes: a signal for one who needs none. */
  follow(flow: EventFlow): void {
    this.#flow = flow;
    if (this.#hasLeft) this.leave();
    else this.#open.add(this);
  }

  leave(): void {
    this.#leaving?.abort(gone);
    this.#flow?.close();
  }
}
