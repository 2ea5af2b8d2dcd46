import { stat, watch } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { sleep } from '@fnlet/base';
import type { CliContext } from './cli-context.ts';
import { explainFailure, printFailure } from './failure.ts';
import { watchBurstMs, watchQuietMs } from './limits.ts';
import { isSourceFile, readSourceDigest } from './source-files.ts';

/** A source as it was before it was deployed for the first time. */
export interface WatchedSource {
  /** As the user named it. */
  readonly name: string;
  readonly path: string;
  readonly digest: string;
}

/** Takes note of a source; to be called before it is deployed, so that no edit is missed. */
export async function openSource(name: string, context: CliContext): Promise<WatchedSource> {
  const path = resolve(context.workingDirectory, name);
  return { name, path, digest: await readSourceDigest(path, context.ownOutput) };
}

/**
 * Calls `onChange` after every burst of changes that leaves the source different from what it was,
 * one at a time, until Ctrl-C. A failure is told and does not end the watching: the next edit may
 * mend it.
 */
export async function watchSource(
  source: WatchedSource,
  onChange: () => Promise<void>,
  context: CliContext,
): Promise<void> {
  const { clock, signal, stderr, ownOutput } = context;
  let { digest } = source;
  // What was edited since the source was opened counts.
  let dirty = true;
  let ended = false;
  let wake: (() => void) | undefined;
  const noticing = notice(source.path, signal, () => {
    dirty = true;
    wake?.();
  }).finally(() => {
    ended = true;
    wake?.();
  });
  // Whether it failed is asked at the end; until then nobody waits for it.
  noticing.catch(() => {});
  stderr.write(`Watching ${source.name}; Ctrl-C ends it\n`);
  while (!ended) {
    if (!dirty) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    if (ended) break;
    const burstEndMs = clock.monotonicMs() + watchBurstMs;
    while (dirty && clock.monotonicMs() < burstEndMs) {
      dirty = false;
      await sleep(clock, watchQuietMs, signal);
    }
    if (signal.aborted) break;
    dirty = false;
    const before = digest;
    digest = await readSourceDigest(source.path, ownOutput);
    if (digest === before) continue;
    await onChange().catch((error: unknown) => printFailure(explainFailure(error), context));
  }
  await noticing.catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
}

// A single file is watched from its directory: editors that save by renaming replace the file, and
// a watch of the old one would hear nothing any more.
async function notice(path: string, signal: AbortSignal, onChange: () => void): Promise<void> {
  const isFile = (await stat(path)).isFile();
  const [directory, only] = isFile ? [dirname(path), basename(path)] : [path, undefined];
  for await (const { filename } of watch(directory, { recursive: !isFile, signal })) {
    const isMeant = only === undefined ? isSourceFile(filename ?? '') : filename === only;
    if (filename === null || isMeant) onChange();
  }
}
