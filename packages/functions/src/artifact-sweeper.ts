import { type Clock, errorMessage, type Logger, type Timer } from '@fnlet/base';
import { limits } from './limits.ts';

export interface ArtifactSweeperOptions {
  /** Removes every artifact whose digest is not among these. */
  readonly sweep: (keep: ReadonlySet<string>) => Promise<unknown>;
  /** The digests in use, or `undefined` while that cannot be said. */
  readonly inUse: () => ReadonlySet<string> | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Removes artifacts that no Revision needs any more, some time after it was asked to. */
export class ArtifactSweeper {
  readonly #options: ArtifactSweeperOptions;
  #timer: Timer | undefined;

  constructor(options: ArtifactSweeperOptions) {
    this.#options = options;
  }

  /** Something may be unused now. */
  request(): void {
    this.#timer ??= this.#options.clock.after(limits.sweepMs, () => {
      this.#timer = undefined;
      const keep = this.#options.inUse();
      if (keep === undefined) this.request();
      else void this.#sweep(keep);
    });
  }

  close(): void {
    this.#timer?.cancel();
  }

  async #sweep(keep: ReadonlySet<string>): Promise<void> {
    try {
      await this.#options.sweep(keep);
    } catch (error) {
      this.#options.logger.warn(`Cannot remove unused artifacts: ${errorMessage(error)}`);
    }
  }
}
