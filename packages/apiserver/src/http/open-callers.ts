/** Who is told when the front closes. */
export interface OpenCaller {
  leave(): void;
}

/**
 * The callers of a front whose answers are not out yet: for watches that is hours. A set, and not
 * listeners of one signal or promises that are waited for: a signal looks through all that it has
 * for each that comes, and what waits for a promise keeps the whole request.
 */
export class OpenCallers {
  #callers = new Set<OpenCaller>();
  /** Those that were open when the front closed. */
  #last: Set<OpenCaller> | undefined;
  #left: (() => void) | undefined;

  /** Whether who comes now is to leave. */
  get isClosed(): boolean {
    return this.#last !== undefined;
  }

  add(caller: OpenCaller): void {
    this.#callers.add(caller);
  }

  delete(caller: OpenCaller): void {
    this.#callers.delete(caller);
    if (this.#last?.delete(caller) === true && this.#last.size === 0) this.#left?.();
  }

  /** Tells every caller; resolves when all of them have left. */
  close(): Promise<void> {
    const last = this.#callers;
    this.#callers = new Set();
    this.#last = last;
    const left = new Promise<void>((resolve) => {
      this.#left = resolve;
    });
    for (const caller of [...last]) caller.leave();
    if (last.size === 0) this.#left?.();
    return left;
  }
}
