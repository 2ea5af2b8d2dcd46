import type { Writable } from 'node:stream';
import { fixedLimits } from './limits.ts';
import type { Flushable, Outbox } from './outbox.ts';
import type { Part } from './part.ts';

/**
 * The writing side of one socket. Text waits in the outbox, where what comes next joins it; bytes,
 * and whatever is too much, go out at once, after what waited.
 */
export class SocketWriter implements Flushable {
  readonly #socket: Writable;
  readonly #outbox: Outbox;
  #waiting = '';

  constructor(socket: Writable, outbox: Outbox) {
    this.#socket = socket;
    this.#outbox = outbox;
  }

  /** Whether more may be written at once; otherwise the socket tells `drain`. */
  write(part: Part): boolean {
    const mayWait = typeof part === 'string' && this.#socket.writableLength === 0;
    if (mayWait && this.#waiting.length + part.length <= fixedLimits.waitingBytesMax) {
      if (this.#waiting === '' && part !== '') this.#outbox.add(this);
      this.#waiting += part;
      return true;
    }
    this.flush();
    return this.#send(part);
  }

  /** Writes what waits. A socket that is gone takes nothing. */
  flush(): void {
    const text = this.#waiting;
    this.#waiting = '';
    if (text !== '' && !this.#socket.destroyed) this.#send(text);
  }

  /** Writes what waits and ends the socket. */
  end(): void {
    this.flush();
    this.#socket.end();
  }

  #send(part: Part): boolean {
    return typeof part === 'string' ? this.#socket.write(part, 'latin1') : this.#socket.write(part);
  }
}
