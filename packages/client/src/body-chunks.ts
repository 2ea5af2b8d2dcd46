import type { Readable } from 'node:stream';
import { limits } from './limits.ts';

/**
 * The body as it arrives, read no faster than it is consumed. A stream's own iterator would join
 * what has gathered, which costs a copy. Leaving early ends the body.
 *
 * @throws Error when the body is cut off
 */
export async function* readChunks(body: Readable): AsyncGenerator<Uint8Array, void, undefined> {
  const chunks: Uint8Array[] = [];
  let isOver = false;
  let wake = Promise.withResolvers<void>();
  const onOver = (): void => {
    isOver = true;
    wake.resolve();
  };
  body.once('end', onOver).once('close', onOver).on('error', onOver);
  body.on('data', (chunk: Uint8Array) => {
    chunks.push(chunk);
    if (chunks.length >= limits.chunksWaitingMax) body.pause();
    wake.resolve();
  });
  try {
    while (chunks.length > 0 || !(isOver || body.closed)) {
      const chunk = chunks.shift();
      if (chunk !== undefined) {
        yield chunk;
        continue;
      }
      wake = Promise.withResolvers<void>();
      body.resume();
      await wake.promise;
    }
    if (!body.readableEnded) throw body.errored ?? new Error('the connection was closed');
  } finally {
    body.destroy();
  }
}
