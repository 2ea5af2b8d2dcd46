/**
 * Owns the logs of one runtime's containers: `<pods>/<uid>/logs/<container>/<run>.log`.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock, Logger } from '@fnlet/base';
import type { ContainerLogKey } from './container-runtime.ts';
import { ExecutorError } from './executor-error.ts';
import type { LogFile } from './log-file.ts';
import { type ReadLogsOptions, readLog } from './log-reader.ts';
import type { RunOutput } from './output-keeper.ts';
import { finishedLog, listRuns, RunLogs } from './run-logs.ts';

export interface ContainerLogsOptions {
  /** The directory of a Pod. */
  readonly directoryOf: (pod: string) => string;
  readonly clock: Clock;
  readonly logger: Logger;
}

export class ContainerLogs {
  readonly #podDirectory: ContainerLogsOptions['directoryOf'];
  readonly #runs: RunLogs;
  /** What is being written, by directory. */
  readonly #open = new Map<string, LogFile>();

  constructor({ directoryOf, clock, logger }: ContainerLogsOptions) {
    this.#podDirectory = directoryOf;
    this.#runs = new RunLogs({ clock, logger });
  }

  open(key: ContainerLogKey, run: number): RunOutput {
    const directory = this.#directoryOf(key);
    const { log, output } = this.#runs.open(directory, run, () => {
      if (this.#open.get(directory) === log) this.#open.delete(directory);
    });
    this.#open.set(directory, log);
    return output;
  }

  /** @throws ExecutorError `LogsNotFound` */
  async *read(key: ContainerLogKey, options: ReadLogsOptions): AsyncGenerator<Uint8Array> {
    const directory = this.#directoryOf(key);
    const running = this.#open.get(directory);
    const { previous: isPrevious = false, awaitsRun = false } = options;
    if (running !== undefined && !isPrevious) {
      yield* readLog(running, options);
      return;
    }
    const runs = listRuns(directory);
    // What runs and has said nothing yet has no file, and the last file is then the previous run.
    const isLastOver = running === undefined ? awaitsRun : !existsSync(running.path);
    const run = isPrevious && !isLastOver ? runs.at(-2) : runs.at(-1);
    if (run !== undefined) yield* readLog(finishedLog(directory, run), options);
    else if (isPrevious) throw missing(key);
  }

  #directoryOf({ pod, container }: ContainerLogKey): string {
    return join(this.#podDirectory(pod), 'logs', container);
  }
}

function missing({ container }: ContainerLogKey): ExecutorError {
  const text = `Cannot read logs "${container}": no previous run, expected one`;
  return new ExecutorError('LogsNotFound', text);
}
