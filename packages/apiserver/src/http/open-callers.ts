/** Who is told when the front closes. */
export interface OpenCaller {
  leave(): void;
}

/**
 * The callers of a front whose answers go on for as long as they like. A set, and not listeners of
 * one signal: a signal looks through all that it has for each that comes, and there may be
 * thousands.
 */
export class OpenCallers {
  readonly #callers = new Set<OpenCaller>();
  #isClosed = false;

  add(caller: OpenCaller): void {
    if (this.#isClosed) caller.leave();
    else this.#callers.add(caller);
  }

  delete(caller: OpenCaller): void {
    this.#callers.delete(caller);
  }

  /** Every caller leaves, and so does each that comes yet. */
  close(): void {
    this.#isClosed = true;
    for (const caller of this.#callers) caller.leave();
    this.#callers.clear();
  }
}
