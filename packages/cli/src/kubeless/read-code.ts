import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { errorMessage } from '@fnlet/base';
import type { CliContext } from '../cli-context.ts';
import { CliError } from '../cli-error.ts';
import { exitCodes } from '../exit-codes.ts';
import { archiveBytesMax } from '../limits.ts';
import { isCodeUrl } from './plan-code.ts';

/**
 * What is in a file, or at a URL.
 *
 * @throws CliError `failed` for what cannot be read
 */
export async function readCode(place: string, context: CliContext): Promise<Uint8Array> {
  const read = isCodeUrl(place)
    ? download(place, context.signal)
    : readFile(resolve(context.workingDirectory, place));
  return await read.catch((error: unknown) => {
    // Of a fetch that fails only the cause says why.
    const cause = error instanceof TypeError ? (error.cause ?? error) : error;
    const message = `Cannot read "${place}": ${errorMessage(cause)}`;
    throw new CliError(exitCodes.failed, message, { cause });
  });
}

async function download(url: string, signal: AbortSignal): Promise<Uint8Array> {
  const answer = await fetch(url, { signal });
  if (!answer.ok) throw new Error(`found status ${answer.status}, expected 200`);
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of answer.body ?? []) {
    length += chunk.length;
    if (length > archiveBytesMax) throw new Error(`found more than ${archiveBytesMax} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
