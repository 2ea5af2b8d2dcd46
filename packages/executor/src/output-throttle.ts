import type { Readable } from 'node:stream';
import type { Clock } from '@fnlet/base';
import { limits } from './limits.ts';

/**
 * Lets output through at a bounded rate. Past it the pipe fills up and the writer waits: one
 * Instance that logs without end slows down itself, nobody else.
 */
export function throttleOutput(output: Readable, clock: Clock): void {
  let windowEndMs = 0;
  let windowBytes = 0;
  output.on('data', (chunk: Uint8Array) => {
    const nowMs = clock.monotonicMs();
    if (nowMs >= windowEndMs) {
      windowEndMs = nowMs + limits.logWindowMs;
      windowBytes = 0;
    }
    windowBytes += chunk.length;
    if (windowBytes < limits.logWindowBytesMax || output.isPaused()) return;
    output.pause();
    clock.after(windowEndMs - nowMs, () => output.resume());
  });
}
