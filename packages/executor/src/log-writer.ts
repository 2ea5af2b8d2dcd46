import type { Clock } from '@fnlet/base';
import { limits } from './limits.ts';
import { formatLogPrefix, type LogStream } from './log-line.ts';
import type { RunOutput } from './output-keeper.ts';

const lineFeed = 0x0a;
const lineEnd = Buffer.from('\n');

export interface LogWriterOptions {
  readonly clock: Clock;
  /** Takes whole lines of the log. */
  append(lines: Uint8Array): void;
  end(): void;
}

/**
 * Cuts output into lines and puts time and stream before each. A line without an end waits for the
 * rest of it, until it is too long or the run is over.
 */
export function createLogWriter(options: LogWriterOptions): RunOutput {
  const unfinished = new Map<LogStream, Uint8Array>();
  const write = (stream: LogStream, chunk: Uint8Array): void => {
    const before = unfinished.get(stream);
    const bytes = before === undefined ? chunk : Buffer.concat([before, chunk]);
    const now = options.clock.now();
    const whole = Buffer.from(formatLogPrefix(now, stream, false));
    const part = Buffer.from(formatLogPrefix(now, stream, true));
    const pieces: Uint8Array[] = [];
    let from = 0;
    while (true) {
      const found = bytes.indexOf(lineFeed, from);
      const to = found < 0 ? bytes.length : found;
      for (; to - from > limits.logLineBytesMax; from += limits.logLineBytesMax) {
        pieces.push(part, bytes.subarray(from, from + limits.logLineBytesMax), lineEnd);
      }
      if (found < 0) break;
      pieces.push(whole, bytes.subarray(from, to), lineEnd);
      from = found + 1;
    }
    if (from === bytes.length) unfinished.delete(stream);
    else unfinished.set(stream, Uint8Array.from(bytes.subarray(from)));
    if (pieces.length > 0) options.append(Buffer.concat(pieces));
  };
  return {
    write,
    end() {
      for (const stream of [...unfinished.keys()]) write(stream, lineEnd);
      options.end();
    },
  };
}
