/**
 * Owns work that several callers want at the same time: one run per key, shared by all.
 *
 * I1. At most one run per key; whoever comes later joins it and hears its progress from then on.
 * I2. A caller that gives up leaves at once; the run is cancelled when the last one has left.
 */
export interface WorkCaller {
  readonly signal: AbortSignal;
  onProgress?(line: string): void;
}

/** What a run is given: aborted when nobody waits any more. */
export type WorkRun<T> = (caller: Required<WorkCaller>) => Promise<T>;

interface Running<T> {
  readonly result: Promise<T>;
  readonly callers: Set<{ readonly caller: WorkCaller }>;
  readonly abort: AbortController;
}

export class SharedWork<T> {
  readonly #running = new Map<string, Running<T>>();

  /** Whether there is a run for this key. */
  has(key: string): boolean {
    return this.#running.has(key);
  }

  async run(key: string, caller: WorkCaller, work: WorkRun<T>): Promise<T> {
    const { signal } = caller;
    signal.throwIfAborted();
    const running = this.#running.get(key) ?? this.#start(key, work);
    const joined = { caller };
    running.callers.add(joined);
    const left = Promise.withResolvers<never>();
    const leave = (): void => left.reject(signal.reason);
    signal.addEventListener('abort', leave, { once: true });
    try {
      return await Promise.race([running.result, left.promise]);
    } finally {
      signal.removeEventListener('abort', leave);
      running.callers.delete(joined);
      if (running.callers.size === 0) {
        // A newcomer must not join a run that is being cancelled.
        if (this.#running.get(key) === running) this.#running.delete(key);
        running.abort.abort();
      }
    }
  }

  #start(key: string, work: WorkRun<T>): Running<T> {
    const callers = new Set<{ readonly caller: WorkCaller }>();
    const abort = new AbortController();
    const onProgress = (line: string): void => {
      for (const { caller } of callers) caller.onProgress?.(line);
    };
    const result = work({ signal: abort.signal, onProgress });
    // Who waits for it handles its failure; when all have left nobody does.
    result.catch(() => {});
    const running = { result, callers, abort };
    this.#running.set(key, running);
    return running;
  }
}
