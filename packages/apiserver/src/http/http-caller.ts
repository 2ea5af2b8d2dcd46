import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';

/** One request and its answer on the wire, over HTTP/2 or HTTP/1.1. */
export interface HttpExchange {
  readonly request: Http2ServerRequest;
  readonly response: Http2ServerResponse;
  /** Aborts when the front closes. */
  readonly closing: AbortSignal;
}

// Made once: without a reason every abort would make an error with a stack.
const gone = new Error('The client has left, or the server closes');

function ignore(): void {}

/**
 * Whether the client of a request is still there. Signals cost more than many an answer, so there
 * is one only for those who ask for it: watches and logs.
 */
export class HttpCaller {
  /** Resolves when the answer is out, or nobody will take it any more. */
  readonly closed: Promise<void>;
  readonly #closing: AbortSignal;
  #leaving: AbortController | undefined;
  #hasLeft = false;

  constructor({ request, response, closing }: HttpExchange) {
    this.#closing = closing;
    // Without a listener a broken connection would be an uncaught error; its end is told by close.
    request.on('error', ignore);
    response.on('error', ignore);
    this.closed = new Promise((resolve) => {
      response.once('close', () => {
        this.#hasLeft = true;
        this.#leaving?.abort(gone);
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
      const leaving = new AbortController();
      this.#leaving = leaving;
      const leave = (): void => leaving.abort(gone);
      this.#closing.addEventListener('abort', leave, { once: true, signal: leaving.signal });
      if (this.#hasLeft || this.#closing.aborted) leave();
    }
    return this.#leaving.signal;
  }
}
