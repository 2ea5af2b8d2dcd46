import { close, fstat, openSync, read } from 'node:fs';
import { promisify } from 'node:util';
import { hasCode } from '@fnlet/base';
import { limits } from './limits.ts';
import type { LogFile } from './log-file.ts';

const readFile = promisify(read);
const statFile = promisify(fstat);
const lineFeed = 0x0a;

/** One file of a log, held open: it stays readable when it is rotated away. */
export class LogSegment {
  readonly number: number;
  readonly #file: number;
  readonly #buffer = Buffer.allocUnsafe(limits.logReadBytes);

  private constructor(number: number, file: number) {
    this.number = number;
    this.#file = file;
  }

  /**
   * Opens the segment of this number, or the oldest that is left when it is gone. In one tick with
   * the decision, so that it cannot be rotated in between. `undefined`: nothing was written yet.
   */
  static open(log: LogFile, number: number): LogSegment | undefined {
    const current = number >= log.rotations;
    try {
      const file = openSync(current ? log.path : log.rotatedPath, 'r');
      return new LogSegment(current ? log.rotations : log.rotations - 1, file);
    } catch (error) {
      if (hasCode(error, 'ENOENT')) return undefined;
      throw error;
    }
  }

  /** Whole lines from `position` on; empty at the end. Valid until the next read. */
  async readLines(position: number): Promise<Uint8Array> {
    const bytes = await this.#read(position, this.#buffer.length);
    return bytes.subarray(0, bytes.lastIndexOf(lineFeed) + 1);
  }

  /** Where the last `lines` lines before `end` begin, and how many of them this segment lacks. */
  async seekBack(lines: number, end: number): Promise<{ position: number; missing: number }> {
    let missing = lines;
    for (let to = end; to > 0; ) {
      const from = Math.max(0, to - this.#buffer.length);
      const bytes = await this.#read(from, to - from);
      for (let at = bytes.length - 1; at >= 0; at--) {
        // The line feed at the very end closes the last line; every other one precedes a line.
        if (bytes[at] !== lineFeed || from + at === end - 1) continue;
        missing--;
        if (missing === 0) return { position: from + at + 1, missing: 0 };
      }
      to = from;
    }
    return { position: 0, missing: end === 0 ? missing : missing - 1 };
  }

  /** Its length in bytes, now. */
  async size(): Promise<number> {
    const { size } = await statFile(this.#file);
    return size;
  }

  close(): void {
    close(this.#file, () => {});
  }

  async #read(position: number, length: number): Promise<Buffer> {
    const { bytesRead } = await readFile(this.#file, this.#buffer, 0, length, position);
    return this.#buffer.subarray(0, bytesRead);
  }
}
