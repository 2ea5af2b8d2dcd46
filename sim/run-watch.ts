import { formatObjectKey, type ObjectKey } from '@fnlet/machinery';

/** Sees who runs which key, so that nobody runs one that somebody else runs. */
export class RunWatch {
  readonly #running = new Map<string, object>();
  readonly #clashes: string[] = [];
  #runs = 0;

  /** Keys that were run twice at once, in words. */
  get clashes(): readonly string[] {
    return this.#clashes;
  }

  /** How many runs there were. */
  get runs(): number {
    return this.#runs;
  }

  /** Notes a run of a process until the work has ended. */
  async during<T>(
    { who, what, key }: { readonly who: object; readonly what: string; readonly key: ObjectKey },
    work: () => T | Promise<T>,
  ): Promise<T> {
    const name = `${what} ${formatObjectKey(key)}`;
    if (this.#running.has(name)) {
      const other = this.#running.get(name) === who ? 'the same process' : 'another one';
      this.#clashes.push(`${name} was run while ${other} ran it`);
    }
    this.#runs++;
    this.#running.set(name, who);
    try {
      return await work();
    } finally {
      if (this.#running.get(name) === who) this.#running.delete(name);
    }
  }

  /** A process is no more, and its runs with it. */
  forget(who: object): void {
    for (const [name, runner] of this.#running) if (runner === who) this.#running.delete(name);
  }
}
