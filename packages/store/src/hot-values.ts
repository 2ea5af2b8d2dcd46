import type { KeptValue } from './kept-value.ts';
import { limits } from './limits.ts';

/**
 * The values that single reads asked for last, by revision: objects that are read and written in
 * turns are parsed once, and a namespace not for every object that is created in it.
 *
 * What is only written never comes in: it would outlive the young generation for nothing.
 */
export class HotValues {
  /** In the order of their last use. */
  readonly #values = new Map<number, KeptValue>();
  #characters = 0;

  get(revision: number): KeptValue | undefined {
    const kept = this.#values.get(revision);
    if (kept === undefined) return undefined;
    this.#values.delete(revision);
    this.#values.set(revision, kept);
    return kept;
  }

  put(revision: number, kept: KeptValue): void {
    if (kept.text.length > limits.hotValueCharactersMax) return;
    this.#values.set(revision, kept);
    this.#characters += kept.text.length;
    for (const [oldest] of this.#values) {
      if (this.#characters <= limits.hotCharactersMax) return;
      this.forget(oldest);
    }
  }

  /** Whether it was there. */
  forget(revision: number): boolean {
    const kept = this.#values.get(revision);
    if (kept === undefined) return false;
    this.#characters -= kept.text.length;
    return this.#values.delete(revision);
  }
}
