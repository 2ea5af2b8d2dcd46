import type { EventFlow } from '../request/event-batches.ts';
import type { HttpExchange } from './http-exchange.ts';
import type { OpenCaller, OpenCallers } from './open-callers.ts';

// Made once: without a reason every abort would make an error with a stack.
const gone = new Error('The client has left, or the server closes');

function ignore(): void {}

/**
 * Whether the client of a request is still there. Signals cost more than many an answer, so there
 * is one only for those who ask for it: logs, and watches within the process.
 */
export class HttpCaller implements OpenCaller {
  readonly #open: OpenCallers;
  #leaving: AbortController | undefined;
  #flow: EventFlow | undefined;
  #hasLeft = false;

  /** @param open knows the caller until its answer is out, or nobody will take it any more */
  constructor({ incoming, outgoing }: HttpExchange, open: OpenCallers) {
    this.#open = open;
    open.add(this);
    // Without a listener a broken connection would be an uncaught error; its end is told by close.
    outgoing.on('error', ignore);
    if (!Object.is(incoming, outgoing)) incoming.on('error', ignore);
    outgoing.on('close', this.#closed);
  }

  get hasLeft(): boolean {
    return this.#hasLeft;
  }

  /** Aborts when the client leaves or the front closes. */
  get signal(): AbortSignal {
    if (this.#leaving === undefined) {
      this.#leaving = new AbortController();
      if (this.#hasLeft || this.#open.isClosed) this.leave();
    }
    return this.#leaving.signal;
  }

  /** Closes the flow when the client leaves or the front closes: a signal for one who needs none. */
  follow(flow: EventFlow): void {
    this.#flow = flow;
    if (this.#hasLeft || this.#open.isClosed) this.leave();
  }

  leave(): void {
    this.#leaving?.abort(gone);
    this.#flow?.close();
  }

  readonly #closed = (): void => {
    this.#hasLeft = true;
    this.#open.delete(this);
    this.leave();
  };
}
