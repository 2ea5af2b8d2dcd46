/**
 * Where connections wait that come before there is anything to tell them: not told that nothing is
 * there of what only is not known yet, they are answered a moment later.
 *
 * I1. Nothing of theirs is read. So many wait, and no more.
 */
import type { Socket } from 'node:net';

export class Anteroom {
  readonly #socketsMax: number;
  /** By socket: how it is let in. `undefined`: everybody is, at once. */
  #waiting: Map<Socket, (socket: Socket) => void> | undefined;

  /** `opened`: until then connections wait; default: they do not. */
  constructor(opened: Promise<void> | undefined, socketsMax: number) {
    this.#socketsMax = socketsMax;
    if (opened === undefined) return;
    this.#waiting = new Map();
    void opened.then(() => this.#letIn());
  }

  /** Lets a connection in, now or when it is time. */
  admit(socket: Socket, enter: (socket: Socket) => void): void {
    if (this.#waiting === undefined) enter(socket);
    else if (this.#waiting.size < this.#socketsMax) this.#waiting.set(socket, enter);
    else socket.destroy();
  }

  /** Sends away who still waits. */
  destroy(): void {
    for (const socket of this.#waiting?.keys() ?? []) socket.destroy();
  }

  #letIn(): void {
    const waiting = [...(this.#waiting ?? [])];
    this.#waiting = undefined;
    for (const [socket, enter] of waiting) if (!socket.destroyed) enter(socket);
  }
}
