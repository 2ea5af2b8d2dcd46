/**
 * Owns the log files of one runtime's containers: `<pods>/<uid>/logs/<container>/<run>.log`.
 *
 * I1. Of a container the latest two runs are kept, so that the log of a crash can be read.
 */
import { existsSync, readdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, errorMessage, type Logger } from '@fnlet/base';
import type { ContainerLogKey } from './container-runtime.ts';
import { ExecutorError } from './executor-error.ts';
import { LogFile } from './log-file.ts';
import { type ReadLogsOptions, readLog } from './log-reader.ts';
import { createLogWriter } from './log-writer.ts';
import type { RunOutput } from './output-keeper.ts';

export interface ContainerLogsOptions {
  /** The directory of a Pod. */
  readonly directoryOf: (pod: string) => string;
  readonly clock: Clock;
  readonly logger: Logger;
}

const logName = /^(\d+)\.log$/;

export class ContainerLogs {
  readonly #options: ContainerLogsOptions;
  /** What is being written, by directory. */
  readonly #open = new Map<string, LogFile>();

  constructor(options: ContainerLogsOptions) {
    this.#options = options;
  }

  open(key: ContainerLogKey, run: number): RunOutput {
    const directory = this.#directoryOf(key);
    for (const old of listRuns(directory).filter((other) => other < run - 1)) {
      this.#remove(new LogFile(join(directory, `${old}`), true));
    }
    const log = new LogFile(join(directory, `${run}`), false);
    this.#open.set(directory, log);
    return createLogWriter({
      clock: this.#options.clock,
      append: (lines) => this.#append(log, lines),
      end: () => {
        log.end();
        if (this.#open.get(directory) === log) this.#open.delete(directory);
      },
    });
  }

  /** @throws ExecutorError `LogsNotFound` */
  async *read(key: ContainerLogKey, options: ReadLogsOptions): AsyncGenerator<Uint8Array> {
    const directory = this.#directoryOf(key);
    const running = this.#open.get(directory);
    const isPrevious = options.previous === true;
    if (running !== undefined && !isPrevious) {
      yield* readLog(running, options);
      return;
    }
    const runs = listRuns(directory);
    // What runs and has said nothing yet has no file, and the last file is then the previous run.
    const isSilent = running !== undefined && !existsSync(running.path);
    const run = isPrevious && !isSilent ? runs.at(-2) : runs.at(-1);
    if (run !== undefined) yield* readLog(new LogFile(join(directory, `${run}`), true), options);
    else if (isPrevious) throw missing(key);
  }

  #directoryOf({ pod, container }: ContainerLogKey): string {
    return join(this.#options.directoryOf(pod), 'logs', container);
  }

  // A full disk must not end the process that serves everybody.
  #append(log: LogFile, lines: Uint8Array): void {
    try {
      log.append(lines);
    } catch (error) {
      this.#warn('Cannot write a log', error);
    }
  }

  #remove(log: LogFile): void {
    for (const path of [log.path, log.rotatedPath]) {
      rm(path, { force: true }).catch((error: unknown) => this.#warn('Cannot remove a log', error));
    }
  }

  #warn(message: string, error: unknown): void {
    this.#options.logger.warn(message, { error: errorMessage(error) });
  }
}

function missing({ container }: ContainerLogKey): ExecutorError {
  const text = `Cannot read logs "${container}": no previous run, expected one`;
  return new ExecutorError('LogsNotFound', text);
}

/** Numbers of the runs that have a file, oldest first. */
function listRuns(directory: string): number[] {
  const names = existsSync(directory) ? readdirSync(directory) : [];
  return names
    .flatMap((name) => logName.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => a - b);
}
