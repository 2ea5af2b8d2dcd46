import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { limits } from './limits.ts';

const run = promisify(execFile);

/**
 * What a program that is soon done prints, trimmed; the promise fails when it ends with another
 * code than 0 or not at all.
 */
export async function readProgramOutput(
  program: string,
  args: readonly string[],
  signal: AbortSignal,
): Promise<string> {
  const { stdout } = await run(program, [...args], {
    env: {},
    signal,
    timeout: limits.programLookMs,
    killSignal: 'SIGKILL',
    maxBuffer: limits.programLookBytesMax,
  });
  return stdout.trim();
}
