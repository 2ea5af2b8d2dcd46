import { createWriteStream } from 'node:fs';
import { errorMessage, type Logger } from '@fnlet/base';
import { LineSink } from '@fnlet/gateway';

const descriptors: Readonly<Record<string, number>> = { stdout: 1, stderr: 2 };

/**
 * Opens what the Gateway writes a line about each request to.
 *
 * @param where `off`, `stdout`, `stderr` or the path of a file, which is appended to
 */
export function openAccessLog(
  where: string,
  logger: Logger,
): (AsyncDisposable & { readonly lines: LineSink }) | undefined {
  if (where === 'off') return undefined;
  const fd = descriptors[where];
  // Not process.stdout: what is written to it holds up the process while its reader is slow.
  const stream =
    fd === undefined
      ? createWriteStream(where, { flags: 'a', mode: 0o600 })
      : createWriteStream('', { fd, autoClose: false });
  stream.on('error', (error) => {
    logger.error('Cannot write the access log', { where, error: errorMessage(error) });
  });
  const lines = new LineSink({
    stream,
    defer: (callback) => void setImmediate(callback),
    gap: (count) => JSON.stringify({ dropped: count }),
  });
  return {
    lines,
    async [Symbol.asyncDispose](): Promise<void> {
      lines.flush();
      if (!stream.destroyed) await new Promise<void>((resolve) => stream.end(() => resolve()));
    },
  };
}
