import type { Duplex } from 'node:stream';
import { fixedLimits } from '../limits.ts';
import type { Part } from '../part.ts';
import type { Flushable, Outbox } from './outbox.ts';
import type { Wire, WireUser } from './wire.ts';

/**
 * A socket as a wire; whoever opens it has it read. Text waits in the outbox, where what comes next
 * joins it; bytes, and whatever is too much, go out at once, after what waited.
 */
export class SocketWire implements Wire, Flushable {
  readonly #socket: Duplex;
  readonly #outbox: Outbox;
  readonly #cut: () => void;
  #user: WireUser | undefined;
  #waiting = '';

  /** `cut` ends the socket so that nobody takes that for a good end. */
  constructor(
    socket: Duplex,
    user: WireUser,
    { outbox, cut }: { readonly outbox: Outbox; readonly cut: () => void },
  ) {
    this.#socket = socket;
    this.#outbox = outbox;
    this.#cut = cut;
    this.#user = user;
    socket.on('drain', () => this.#user?.onDrain());
    socket.on('end', () => this.#user?.onEnd());
    // It closes, too, and there is nobody who could be told why.
    socket.on('error', () => {});
    socket.on('close', () => this.#user?.onClosed());
  }

  /** Gives the socket to somebody else, paused; the user hears no more of it. */
  release(): Duplex {
    this.#user = undefined;
    return this.#socket.pause();
  }

  get destroyed(): boolean {
    return this.#socket.destroyed;
  }

  get pending(): boolean {
    return this.#waiting !== '' || this.#socket.writableLength > 0;
  }

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

  end(): void {
    this.flush();
    this.#socket.end();
  }

  destroy(): void {
    this.flush();
    this.#socket.destroy();
  }

  reset(): void {
    this.flush();
    this.#cut();
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  #send(part: Part): boolean {
    return typeof part === 'string' ? this.#socket.write(part, 'latin1') : this.#socket.write(part);
  }
}
