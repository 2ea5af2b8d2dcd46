import { errorMessage } from '@fnlet/base';
import { limits } from './limits.ts';
import { LogError } from './log-error.ts';

/** A change of the log: what it does within a flush, and what comes out of it. */
export interface Operation<Staging, Result> {
  /** Throws, having done nothing, when this change cannot be; that fails no other. */
  apply(staging: Staging): Result;
  readonly rows: number;
  readonly bytes: number;
}

/** A change that waits, and who waits for it. */
interface Pending<Staging> {
  readonly rows: number;
  readonly bytes: number;
  /** As {@link Operation}; keeps what comes out of it. */
  apply(staging: Staging): void;
  resolve(): void;
  reject(error: unknown): void;
}

class PendingOperation<Staging, Result> implements Pending<Staging> {
  readonly rows: number;
  readonly bytes: number;
  readonly reject: (error: unknown) => void;
  readonly #operation: Operation<Staging, Result>;
  readonly #resolve: (result: Result) => void;
  #result: { readonly value: Result } | undefined;

  constructor(
    operation: Operation<Staging, Result>,
    resolve: (result: Result) => void,
    reject: (error: unknown) => void,
  ) {
    this.rows = operation.rows;
    this.bytes = operation.bytes;
    this.reject = reject;
    this.#operation = operation;
    this.#resolve = resolve;
  }

  apply(staging: Staging): void {
    this.#result = { value: this.#operation.apply(staging) };
  }

  resolve(): void {
    if (this.#result !== undefined) this.#resolve(this.#result.value);
  }
}

/** What a flush does around the changes that it takes. */
export interface Flush<Staging> {
  /** What to wait for before the next flush is staged, if anything. */
  ready(): Promise<void> | undefined;
  stage(): Staging;
  /**
   * Resolves once what was staged is durable; `again` when it was staged upon what is no longer so,
   * and nothing happened.
   */
  commit(staging: Staging): Promise<'again' | undefined>;
  /** What was staged is seen from now on. */
  publish(staging: Staging): void;
}

/** What one flush takes at most; a change that exceeds it alone has a flush of its own. */
export interface FlushBounds {
  readonly rowsMax: number;
  readonly bytesMax: number;
}

/**
 * Group commit: while one flush runs, changes gather for the next.
 *
 * I1. Changes happen in the order in which they came.
 * I2. A change resolves after it is durable and published; a refused commit refuses all of its
 *     changes, and none of them is published.
 * I3. After a failure that leaves open what is on the disk nothing more is believed.
 */
export class FlushLoop<Staging> {
  readonly #flush: Flush<Staging>;
  readonly #bounds: FlushBounds;
  #pending: Pending<Staging>[] = [];
  #pendingBytes = 0;
  #running: Promise<void> | undefined;
  #refusal: LogError | undefined;

  constructor(flush: Flush<Staging>, bounds: FlushBounds) {
    this.#flush = flush;
    this.#bounds = bounds;
  }

  /** @throws LogError */
  run<Result>(operation: Operation<Staging, Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      const refusal = this.#refusal ?? this.#fullness(operation.bytes);
      if (refusal !== undefined) return reject(refusal);
      this.#pending.push(new PendingOperation(operation, resolve, reject));
      this.#pendingBytes += operation.bytes;
      this.#running ??= this.#flushPending();
    });
  }

  /** Refuses what comes from now on, and waits for what has come. */
  async close(refusal: LogError): Promise<void> {
    this.#refusal ??= refusal;
    await this.#running;
  }

  #fullness(bytes: number): LogError | undefined {
    const { pendingOperationsMax, pendingBytesMax } = limits;
    const count = this.#pending.length;
    if (count < pendingOperationsMax && this.#pendingBytes + bytes <= pendingBytesMax) return;
    return new LogError(
      'Full',
      `Cannot take the change: ${count} with ${this.#pendingBytes} bytes wait for the disk, ` +
        'expected fewer',
      { retry: 'later', remedy: 'Try again when the disk has caught up' },
    );
  }

  async #flushPending(): Promise<void> {
    // Changes of the same turn, and of those that the last flush has just released, share a flush.
    await undefined;
    while (this.#pending.length > 0) await this.#flushOnce(this.#take());
    this.#running = undefined;
  }

  /** Takes changes from the front until a flush is full; at least one. */
  #take(): readonly Pending<Staging>[] {
    let rows = 0;
    let bytes = 0;
    const beyond = this.#pending.findIndex((operation, i) => {
      rows += operation.rows;
      bytes += operation.bytes;
      return i > 0 && (rows > this.#bounds.rowsMax || bytes > this.#bounds.bytesMax);
    });
    const taken = this.#pending.splice(0, beyond < 0 ? this.#pending.length : beyond);
    for (const operation of taken) this.#pendingBytes -= operation.bytes;
    return taken;
  }

  async #flushOnce(operations: readonly Pending<Staging>[]): Promise<void> {
    let left = operations;
    try {
      let staging: Staging;
      do {
        for (let wait = this.#flush.ready(); wait !== undefined; wait = this.#flush.ready()) {
          await wait;
        }
        const fresh = this.#flush.stage();
        staging = fresh;
        left = left.filter((operation) => tryApply(operation, fresh));
        if (left.length === 0) return;
      } while ((await this.#flush.commit(staging)) === 'again');
      this.#flush.publish(staging);
    } catch (error) {
      const failure = toLogError(error);
      // After a failed flush of a disk the kernel may even report later ones as good.
      if (failure.code === 'Broken') this.#refusal ??= failure;
      for (const operation of left) operation.reject(failure);
      return;
    }
    for (const operation of left) operation.resolve();
  }
}

function tryApply<Staging>(operation: Pending<Staging>, staging: Staging): boolean {
  try {
    operation.apply(staging);
    return true;
  } catch (error) {
    operation.reject(error);
    return false;
  }
}

function toLogError(error: unknown): LogError {
  if (error instanceof LogError) return error;
  const found = errorMessage(error);
  return new LogError('Broken', `Cannot write to the log: ${found}, expected a commit`, {
    cause: error,
    remedy: 'Start again',
  });
}
