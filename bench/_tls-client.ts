import { once } from 'node:events';
import { connect, type TLSSocket } from 'node:tls';

export interface Target {
  readonly port: number;
  readonly caPem: string;
  readonly token: string;
}

export interface Answer {
  readonly status: number;
  readonly body: string;
}

const lastChunk = Buffer.from('\r\n0\r\n\r\n');

/**
 * One kept TLS connection that speaks just enough HTTP/1.1: the load generator shares the machine
 * with what it measures, and should take little of it.
 */
export class TlsClient {
  readonly #socket: TLSSocket;
  readonly #head: string;
  #received: Buffer[] = [];
  #size = 0;
  #needed = 0;
  #isChunked = false;
  #settle: { resolve: (answer: Answer) => void; reject: (error: unknown) => void } | undefined;

  private constructor(socket: TLSSocket, { token, port }: Target) {
    this.#socket = socket;
    this.#head = `Host: 127.0.0.1:${port}\r\nAuthorization: Bearer ${token}\r\nUser-Agent: bench\r\n`;
    socket.on('data', (chunk: Buffer) => this.#take(chunk));
    socket.on('error', (error) => this.#settle?.reject(error));
    socket.on('close', () => this.#settle?.reject(new Error('The server closed the connection')));
  }

  static async connect(target: Target): Promise<TlsClient> {
    const socket = connect({ host: '127.0.0.1', port: target.port, ca: target.caPem });
    await once(socket, 'secureConnect');
    socket.setNoDelay(true);
    return new TlsClient(socket, target);
  }

  send(method: string, path: string, body = '', type = 'application/json'): Promise<Answer> {
    const length = Buffer.byteLength(body);
    const about = length === 0 ? '' : `Content-Type: ${type}\r\nContent-Length: ${length}\r\n`;
    this.#socket.write(`${method} ${path} HTTP/1.1\r\n${this.#head}${about}\r\n${body}`);
    return new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
    });
  }

  #take(chunk: Buffer): void {
    this.#received.push(chunk);
    this.#size += chunk.byteLength;
    if (this.#isChunked ? !this.#isLastChunk() : this.#size < this.#needed) return;
    const bytes = Buffer.concat(this.#received);
    this.#received = [bytes];
    const head = bytes.indexOf('\r\n\r\n');
    if (head < 0) return;
    const text = bytes.toString('latin1', 0, head);
    this.#isChunked = /\r\ntransfer-encoding: chunked/i.test(text);
    this.#needed = head + 4 + Number(/\r\ncontent-length: (\d+)/i.exec(text)?.[1] ?? 0);
    if (this.#isChunked ? !this.#isLastChunk() : this.#size < this.#needed) return;
    const answer = { status: Number(text.slice(9, 12)), body: bytes.toString('utf8', head + 4) };
    this.#received = [];
    this.#size = 0;
    this.#needed = 0;
    this.#isChunked = false;
    this.#settle?.resolve(answer);
  }

  /** JSON holds no line breaks: an answer in chunks has its end nowhere else. */
  #isLastChunk(): boolean {
    return Buffer.concat(this.#received.slice(-4))
      .subarray(-lastChunk.byteLength)
      .equals(lastChunk);
  }

  close(): void {
    this.#settle = undefined;
    this.#socket.destroy();
  }
}
