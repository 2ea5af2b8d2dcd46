/**
 * Owns the logs of Instances: `<directory>/<namespace>/<instance>/<run>.log`.
 *
 * I1. Of those that stopped, the logs of the last few are kept, per Revision and in total.
 */
import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, errorMessage, type Logger } from '@fnlet/base';
import { formatObjectKey, type ObjectKey } from '@fnlet/machinery';
import type { RunnableRevision } from './executor.ts';
import { ExecutorError } from './executor-error.ts';
import { limits } from './limits.ts';
import type { LogFile } from './log-file.ts';
import { type ReadLogsOptions, readLog } from './log-reader.ts';
import type { OutputKeeper, RunOutput } from './output-keeper.ts';
import { finishedLog, listRuns, RunLogs } from './run-logs.ts';

export interface InstanceLogsOptions {
  readonly directory: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

interface Target {
  readonly id: string;
  readonly revision: RunnableRevision;
}

interface StoppedLogs {
  readonly directory: string;
  readonly revision: string;
  /** Somebody will want to know why. */
  readonly isFailed: boolean;
}

// Names come from URLs too; they must not lead anywhere else.
const safeName = /^[a-z0-9]([-.a-z0-9]*[a-z0-9])?$/;

export class InstanceLogs implements OutputKeeper {
  readonly #options: InstanceLogsOptions;
  readonly #runs: RunLogs;
  /** The run that is being written, by directory of its Instance. */
  readonly #running = new Map<string, { readonly run: number; readonly log: LogFile }>();
  /** Oldest first. */
  #stopped: StoppedLogs[];

  constructor(options: InstanceLogsOptions) {
    this.#options = options;
    this.#runs = new RunLogs(options);
    mkdirSync(options.directory, { recursive: true, mode: 0o700 });
    this.#stopped = listStopped(options.directory);
  }

  open({ id, revision, run }: Target & { readonly run: number }): RunOutput {
    const directory = join(this.#options.directory, revision.namespace, id);
    const { log, output } = this.#runs.open(directory, run);
    this.#running.set(directory, { run, log });
    return output;
  }

  stopped({ id, revision, isFailed }: Target & { readonly isFailed: boolean }): void {
    const { namespace } = revision;
    const directory = join(this.#options.directory, namespace, id);
    this.#running.delete(directory);
    this.#stopped.push({ directory, revision: `${namespace}/${revision.revision}`, isFailed });
    const kept = planKeptLogs(this.#stopped);
    for (const logs of this.#stopped) {
      if (kept.includes(logs)) continue;
      rm(logs.directory, { recursive: true, force: true }).catch((error: unknown) =>
        this.#options.logger.warn('Cannot remove old logs', { error: errorMessage(error) }),
      );
    }
    this.#stopped = [...kept];
  }

  /** @throws ExecutorError `LogsNotFound` */
  async *read(key: ObjectKey, options: ReadLogsOptions): AsyncGenerator<Uint8Array> {
    yield* readLog(this.#find(key, options), options);
  }

  #find(key: ObjectKey, { previous = false, awaitsRun = false }: ReadLogsOptions): LogFile {
    const missing = (found: string): ExecutorError =>
      new ExecutorError(
        'LogsNotFound',
        `Cannot read logs "${formatObjectKey(key)}": ${found}, expected an Instance that runs or stopped not long ago`,
      );
    if (!safeName.test(key.namespace) || !safeName.test(key.name)) throw missing('no such name');
    const directory = join(this.#options.directory, key.namespace, key.name);
    const running = this.#running.get(directory);
    const isWanted = !previous || (awaitsRun && running?.log.ended === true);
    if (running !== undefined && isWanted) return running.log;
    const runs = listRuns(directory);
    const latest = running?.run ?? runs.at(-1) ?? 0;
    const run = previous ? runs.findLast((other) => other < latest) : runs.at(-1);
    if (run === undefined && !previous && this.#isStopped(directory)) {
      // It has said nothing.
      return finishedLog(directory, latest);
    }
    if (run === undefined) throw missing(previous ? 'no previous run' : 'no log');
    return finishedLog(directory, run);
  }

  #isStopped(directory: string): boolean {
    return this.#stopped.some((logs) => logs.directory === directory);
  }
}

/**
 * Which logs of stopped Instances stay, in the given order (oldest first). Those that failed do not
 * make room for those that merely sleep.
 */
export function planKeptLogs<T extends { readonly revision: string; readonly isFailed: boolean }>(
  stopped: readonly T[],
): readonly T[] {
  const counts = new Map<string, number>();
  const kept = stopped.toReversed().filter(({ revision }) => {
    const count = (counts.get(revision) ?? 0) + 1;
    counts.set(revision, count);
    return count <= limits.stoppedLogsPerRevisionMax;
  });
  const byNeed = kept.toSorted((a, b) => Number(b.isFailed) - Number(a.isFailed));
  const chosen = new Set(byNeed.slice(0, limits.stoppedLogsMax));
  return stopped.filter((logs) => chosen.has(logs));
}

// What an earlier life of this data directory left; its Instances are gone.
function listStopped(root: string): StoppedLogs[] {
  const found = readdirSync(root).flatMap((namespace) =>
    readdirSync(join(root, namespace)).map((name) => {
      const directory = join(root, namespace, name);
      const revision = `${namespace}/${name.slice(0, name.lastIndexOf('-'))}`;
      return { directory, revision, isFailed: false, changedMs: statSync(directory).mtimeMs };
    }),
  );
  const kept = planKeptLogs(found.sort((a, b) => a.changedMs - b.changedMs));
  for (const logs of found) {
    if (!kept.includes(logs)) rmSync(logs.directory, { recursive: true, force: true });
  }
  return [...kept];
}
