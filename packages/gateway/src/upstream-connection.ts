import { connect, type Socket } from 'node:net';
import { hasCode } from '@fnlet/base';
import { HeadStream } from './http1/head-stream.ts';
import { parseResponseHead, type ResponseHead } from './http1/response-head.ts';
import { fixedLimits, type GatewayLimits } from './limits.ts';
import type { Part } from './part.ts';
import type { EndpointAddress } from './route.ts';

/** How a connection to an Instance was lost. */
export interface Loss {
  /** The Instance ended it in an orderly way. */
  readonly ended: boolean;
  /** Nobody accepted it: the Instance does not listen. */
  readonly refused: boolean;
  /** It is proven that no byte of the request reached the Instance. */
  readonly unsent: boolean;
}

/** Who uses a connection at the moment. */
export interface UpstreamUser {
  /** `chunk` may be read until this returns; what is kept longer must be copied. */
  onUpstreamData(chunk: Buffer): void;
  onUpstreamDrain(): void;
  /** Called at most once; the connection is of no more use. */
  onUpstreamLost(loss: Loss): void;
}

/** Who keeps the connections. */
export interface UpstreamOwner {
  /** What all connections of a thread are read into, one after the other. */
  readonly readBuffer: Buffer;
  onConnected(): void;
  onConnectFailed(): void;
  onIdleLost(connection: UpstreamConnection): void;
}

/** One connection to an Instance, used by one call at a time. */
export class UpstreamConnection {
  /** The heads of answers. */
  readonly heads: HeadStream<ResponseHead>;
  /** Until when (monotonic) the Instance promised to keep it open while idle. */
  reusableUntilMs: number = Number.POSITIVE_INFINITY;
  readonly #socket: Socket;
  readonly #owner: UpstreamOwner;
  #user: UpstreamUser | undefined;
  #connected = false;
  #writes = 0;
  #firstWriteLength = 0;
  #ended = false;

  constructor(address: EndpointAddress, owner: UpstreamOwner, limits: GatewayLimits) {
    this.#owner = owner;
    const { headBytesMax, fieldsMax } = limits;
    this.heads = new HeadStream(
      { headBytesMax, fieldsMax, startLineBytesMax: headBytesMax },
      parseResponseHead,
    );
    const { readBuffer } = owner;
    this.#socket = connect({
      ...('socketPath' in address
        ? { path: address.socketPath }
        : // Heads and bodies are written whole: there is nothing to wait for.
          { host: address.host, port: address.port, noDelay: true }),
      onread: { buffer: readBuffer, callback: (length) => this.#onRead(readBuffer, length) },
    });
    this.#socket.on('connect', () => {
      this.#connected = true;
      owner.onConnected();
    });
    this.#socket.on('drain', () => this.#user?.onUpstreamDrain());
    this.#socket.on('end', () => {
      this.#ended = true;
      this.#lose(undefined);
    });
    this.#socket.on('error', (error) => this.#lose(error));
    this.#socket.on('close', () => this.#lose(undefined));
  }

  get lost(): boolean {
    return this.#socket.destroyed || this.#ended;
  }

  /** Gives the connection to `user` for one call. */
  assign(user: UpstreamUser): void {
    this.#user = user;
    this.#writes = 0;
    this.#firstWriteLength = 0;
  }

  /** Passes the call in progress on to another user. */
  pass(user: UpstreamUser): void {
    this.#user = user;
  }

  /** Takes it back after a whole answer; what comes now was not asked for. */
  unassign(): void {
    this.#user = undefined;
  }

  /** Whether more may be written at once; otherwise `onUpstreamDrain` follows. */
  write(part: Part): boolean {
    if (this.#writes === 0) this.#firstWriteLength = part.length;
    this.#writes++;
    return typeof part === 'string' ? this.#socket.write(part, 'latin1') : this.#socket.write(part);
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  /** Sends what is written, then ends it. */
  end(): void {
    this.#socket.end();
  }

  /** Cuts it without telling its user. */
  destroy(): void {
    this.#user = undefined;
    this.#socket.destroy();
    this.#leaveConnecting();
  }

  #onRead(buffer: Buffer, length: number): boolean {
    if (this.#user !== undefined) this.#user.onUpstreamData(buffer.subarray(0, length));
    else this.#socket.destroy();
    return true;
  }

  #lose(error: Error | undefined): void {
    const user = this.#user;
    this.#user = undefined;
    const refused = !this.#connected;
    this.#leaveConnecting();
    this.#socket.destroy();
    if (user === undefined) {
      this.#owner.onIdleLost(this);
      return;
    }
    const unsent = refused || this.#firstWriteFailed(error);
    user.onUpstreamLost({ ended: this.#ended && error === undefined, refused, unsent });
  }

  // EPIPE: the other end was closed before the write, so the kernel took nothing of it.
  #firstWriteFailed(error: Error | undefined): boolean {
    return (
      hasCode(error, 'EPIPE') &&
      this.#writes <= 1 &&
      this.#firstWriteLength <= fixedLimits.atomicWriteBytesMax
    );
  }

  #leaveConnecting(): void {
    if (this.#connected) return;
    this.#connected = true;
    this.#owner.onConnectFailed();
  }
}
