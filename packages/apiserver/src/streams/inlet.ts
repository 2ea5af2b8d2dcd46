import { Readable } from 'node:stream';

/** What an Inlet does of its stream. */
export interface InletHooks {
  readonly read: () => void;
  readonly destroy: (error: Error | null, done: (error?: Error | null) => void) => void;
}

/**
 * The end of a channel where bytes come out: fed by the loop that reads the connection, which
 * waits while nobody takes them. So a slow reader slows its sender, and memory does not grow.
 */
export class Inlet<Stream extends Readable = Readable> {
  readonly readable: Stream;
  #release: (() => void) | undefined;
  #ended = false;

  constructor(create: (hooks: InletHooks) => Stream) {
    this.readable = create({
      read: () => this.#go(),
      destroy: (error, done) => {
        this.#go();
        done(error);
      },
    });
    // Whoever reads hears of it; a channel that nobody reads must not end the process.
    this.readable.on('error', () => {});
  }

  /** Resolves when there is room for more; at once, dropping them, when the reader has left. */
  async write(bytes: Uint8Array): Promise<void> {
    if (this.#isOver() || bytes.length === 0 || this.readable.push(bytes)) return;
    await new Promise<void>((resolve) => {
      this.#release = resolve;
      if (this.readable.destroyed) this.#go();
    });
  }

  /** The sender has said that no more will come. */
  end(): void {
    if (this.#isOver()) return;
    this.#ended = true;
    this.readable.push(null);
  }

  /** The connection is gone: the reader gets an error unless it had everything. */
  abort(error: Error): void {
    if (!this.#isOver()) this.readable.destroy(error);
  }

  // After the end a late piece would be an error.
  #isOver(): boolean {
    return this.#ended || this.readable.destroyed;
  }

  #go(): void {
    this.#release?.();
    this.#release = undefined;
  }
}

/** An inlet that is only read. */
export function createInlet(): Inlet {
  return new Inlet((hooks) => new Readable(hooks));
}
