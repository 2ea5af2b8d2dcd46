import { ArtifactError } from './artifact-error.ts';

/**
 * Bounds how many installations, or fetches, run at once and how many wait for that, first come
 * first served.
 */
export class InstallSlots {
  readonly #max: number;
  readonly #waitingMax: number;
  readonly #refuse: (waiting: number) => ArtifactError;
  readonly #waiting = new Set<() => void>();
  #taken = 0;

  /** @param refuse what is thrown when too many wait already */
  constructor(
    max: number,
    waitingMax: number,
    refuse: (waiting: number) => ArtifactError = tooManyInstallations,
  ) {
    this.#max = max;
    this.#waitingMax = waitingMax;
    this.#refuse = refuse;
  }

  /**
   * Runs `work` once there is a slot.
   *
   * @throws ArtifactError (retry later) when too many wait already
   */
  async run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    await this.#take(signal);
    try {
      return await work();
    } finally {
      this.#release();
    }
  }

  async #take(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#taken < this.#max) {
      this.#taken++;
      return;
    }
    if (this.#waiting.size >= this.#waitingMax) {
      throw this.#refuse(this.#waiting.size);
    }
    await new Promise<void>((resolve, reject) => {
      const take = (): void => {
        signal.removeEventListener('abort', give);
        resolve();
      };
      const give = (): void => {
        this.#waiting.delete(take);
        reject(signal.reason);
      };
      this.#waiting.add(take);
      signal.addEventListener('abort', give, { once: true });
    });
  }

  // The slot is handed on, so that nobody who comes just now overtakes those who wait.
  #release(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#taken--;
    } else {
      this.#waiting.delete(next);
      next();
    }
  }
}

function tooManyInstallations(waiting: number): ArtifactError {
  const found = `${waiting} installations wait`;
  const message = `Cannot install dependencies: ${found}, expected fewer`;
  const remedy = 'Try again when those are done.';
  return new ArtifactError('InstallFailed', message, { retry: 'later', remedy });
}
