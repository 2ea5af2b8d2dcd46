import { limits } from './limits.ts';

/**
 * Turns writes of any shape into whole lines.
 *
 * I1. A line reaches `sink` once, complete, in the order its first character came in.
 * I2. No more than `logLineCharactersMax` characters wait for their line's end.
 */
export class LineBuffer {
  readonly #sink: (lines: string) => void;
  readonly #prefix: string;
  #rest = '';

  constructor(prefix: string, sink: (lines: string) => void) {
    this.#prefix = prefix;
    this.#sink = sink;
  }

  write(text: string): void {
    const end = text.lastIndexOf('\n');
    if (end === -1) {
      this.#rest += text;
      if (this.#rest.length > limits.logLineCharactersMax) this.flush();
      return;
    }
    const whole = this.#rest + text.slice(0, end);
    this.#rest = text.slice(end + 1);
    this.#emit(whole);
  }

  /** Emits what waits for its line's end. */
  flush(): void {
    const rest = this.#rest;
    this.#rest = '';
    if (rest !== '') this.#emit(rest);
  }

  #emit(text: string): void {
    const { logLineCharactersMax: max } = limits;
    let lines = '';
    for (const line of text.split('\n')) {
      for (let from = 0; from === 0 || from < line.length; from += max) {
        lines += `${this.#prefix}${line.slice(from, from + max)}\n`;
      }
    }
    this.#sink(lines);
  }
}
