/**
 * Checks passwords by bcrypt, which takes longer than most calls: in a thread of its own, so that
 * it holds up only those who wait for it.
 *
 * I1. The thread is there while passwords wait to be checked, and checks one at a time.
 * I2. At most `bcryptChecksMax` wait.
 */
import { Worker } from 'node:worker_threads';
import { policyLimits } from './policy-limits.ts';

type Check = PromiseWithResolvers<boolean>;

export class BcryptChecks {
  /** In the order in which they were sent to the thread. */
  #waiting: Check[] = [];
  #worker: Worker | undefined;

  /** Whether `hash` was made of `password`; `undefined` while too many others wait. */
  check(password: string, hash: string): Promise<boolean> | undefined {
    if (this.#waiting.length >= policyLimits.bcryptChecksMax) return undefined;
    this.#worker ??= this.#start();
    const check = Promise.withResolvers<boolean>();
    this.#waiting.push(check);
    this.#worker.postMessage([password, hash]);
    return check.promise;
  }

  #start(): Worker {
    const worker = new Worker(new URL('./bcrypt-worker.mjs', import.meta.url));
    // Whoever ends does not wait for it.
    worker.unref();
    worker.on('message', (right: unknown) => {
      this.#waiting.shift()?.resolve(right === true);
      if (this.#waiting.length === 0) this.#stop();
    });
    worker.on('error', (error) => {
      const lost = this.#waiting;
      this.#waiting = [];
      this.#stop();
      for (const check of lost) check.reject(error);
    });
    return worker;
  }

  #stop(): void {
    void this.#worker?.terminate();
    this.#worker = undefined;
  }
}
