import { statusError } from '@fnlet/machinery';
import { bodyValuesMax } from '../limits.ts';

/** Counts the values of one body while it is read: what is small on the wire may be many things. */
export class ValueBudget {
  #left = bodyValuesMax;

  /** @throws StatusError `RequestEntityTooLarge` */
  spend(): void {
    if (this.#left === 0) {
      const text = `Request entity too large: limit is ${bodyValuesMax} values`;
      throw statusError('RequestEntityTooLarge', text);
    }
    this.#left--;
  }
}
