import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** One kept connection for GETs, one at a time, whose answers have a Content-Length. */
export class HttpConnection {
  readonly #socket: Socket;
  readonly #host: string;
  #received = '';
  #settle: { resolve: (status: number) => void; reject: (error: Error) => void } | undefined;

  private constructor(socket: Socket, host: string) {
    this.#socket = socket;
    this.#host = host;
    socket.on('data', (chunk) => this.#take(chunk.toString('latin1')));
    socket.on('error', (error) => this.#settle?.reject(error));
    socket.on('close', () => this.#settle?.reject(new Error('The connection was closed')));
  }

  static async open({ hostname, port, host }: URL): Promise<HttpConnection> {
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    await once(socket, 'connect');
    return new HttpConnection(socket, host);
  }

  /** The status of the answer, once all of it is there. */
  get(path: string): Promise<number> {
    this.#socket.write(`GET ${path} HTTP/1.1\r\nHost: ${this.#host}\r\n\r\n`);
    return new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
    });
  }

  close(): void {
    this.#settle = undefined;
    this.#socket.destroy();
  }

  #take(text: string): void {
    this.#received += text;
    const end = this.#received.indexOf('\r\n\r\n');
    if (end < 0) return;
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(this.#received)?.[1] ?? 0);
    if (this.#received.length < end + 4 + length) return;
    const status = Number(this.#received.slice(9, 12));
    this.#received = '';
    this.#settle?.resolve(status);
  }
}
