import { fs } from './builtins.ts';

/**
 * Writes all of `text` to a file descriptor before it returns: no line is lost at exit, and a flood
 * of lines waits for its reader instead of filling the memory. Writing to a reader that is gone
 * does nothing.
 */
export function writeFully(fd: number, text: string): void {
  const bytes = Buffer.from(text);
  let written = 0;
  while (written < bytes.length) {
    try {
      written += fs.writeSync(fd, bytes, written);
    } catch (error) {
      if (!isCode(error, 'EAGAIN')) return;
      // Somebody made the descriptor non-blocking and the pipe is full: let its reader run.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
