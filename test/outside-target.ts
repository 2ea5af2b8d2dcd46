import assert from 'node:assert/strict';
import { createServer, type IncomingMessage } from 'node:http';

/** A target outside, that refuses until it is told otherwise. */
export class OutsideTarget implements AsyncDisposable {
  isOpen = false;
  readonly ids: string[] = [];
  /** By which names it was asked. */
  readonly hosts: string[] = [];
  readonly #server = createServer((request, response) => {
    request.resume();
    response.statusCode = this.isOpen ? 200 : 503;
    this.#note(request);
    response.end();
  });

  async listen(): Promise<string> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#server.listen(0, '127.0.0.1', resolve);
    await promise;
    const address = this.#server.address();
    assert(typeof address === 'object' && address !== null);
    return `http://127.0.0.1:${address.port}/events`;
  }

  #note({ headers }: IncomingMessage): void {
    this.hosts.push(String(headers.host));
    if (this.isOpen) this.ids.push(String(headers['ce-id']));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#server.close(() => resolve());
    await promise;
  }
}
