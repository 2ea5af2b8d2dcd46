import { stripVTControlCharacters } from 'node:util';
import { limits } from './limits.ts';

/** The last lines that a process wrote, to be told where its end is told. */
export class LastOutput {
  #bytes: Uint8Array = new Uint8Array();

  /** Takes a piece of output as it came; pieces need not be whole lines. */
  add(chunk: Uint8Array): void {
    const max = limits.lastOutputBytesMax;
    const room = max - Math.min(max, chunk.length);
    // Copied: a piece is a part of a larger buffer, which must not be held for it.
    const before = room === 0 ? [] : [this.#bytes.slice(-room)];
    this.#bytes = Buffer.concat([...before, chunk.subarray(-max)]);
  }

  /** The last of its lines that are not empty; without characters that move a cursor. */
  lines(): string {
    const text = Buffer.from(this.#bytes).toString();
    // The first of a full buffer began earlier, perhaps within a character.
    const isCut = this.#bytes.length === limits.lastOutputBytesMax;
    const lines = text
      .split('\n')
      .slice(isCut && text.includes('\n') ? 1 : 0)
      .map((line) =>
        stripVTControlCharacters(line)
          .replace(/\p{Cc}/gu, '')
          .trimEnd(),
      )
      .filter((line) => line !== '');
    return lines.slice(-limits.lastOutputLinesMax).join('\n');
  }
}
