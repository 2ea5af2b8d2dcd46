import { watch } from 'node:fs/promises';
import { resolve, sep } from 'node:path';
import { sleep } from '@fnlet/base';
import type { CliContext } from './cli-context.ts';
import { explainFailure, printFailure } from './failure.ts';
import { watchQuietMs } from './limits.ts';

/**
 * Calls `onChange` after every burst of changes below `source`, one at a time, until Ctrl-C. A
 * failure is told and does not end the watching: the next edit may mend it.
 */
export async function watchSource(
  source: string,
  onChange: () => Promise<void>,
  context: CliContext,
): Promise<void> {
  const { clock, signal, stderr, workingDirectory } = context;
  const path = resolve(workingDirectory, source);
  let dirty = false;
  let ended = false;
  let wake: (() => void) | undefined;
  const notice = async (): Promise<void> => {
    for await (const { filename } of watch(path, { recursive: true, signal })) {
      if (filename !== null && isIgnored(filename)) continue;
      dirty = true;
      wake?.();
    }
  };
  const noticing = notice().finally(() => {
    ended = true;
    wake?.();
  });
  // Whether it failed is asked at the end; until then nobody waits for it.
  noticing.catch(() => {});
  stderr.write(`Watching ${source}; Ctrl-C ends it\n`);
  while (!ended) {
    if (!dirty) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    if (ended) break;
    dirty = false;
    if (!(await sleep(clock, watchQuietMs, signal))) break;
    if (dirty) continue;
    await onChange().catch((error: unknown) => printFailure(explainFailure(error), context));
  }
  await noticing.catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
}

function isIgnored(filename: string): boolean {
  return filename.split(sep).some((part) => part.startsWith('.') || part === 'node_modules');
}
