/**
 * Owns the files in which what runs again and again is logged: `<directory>/<run>.log`, with the
 * names of a kubelet.
 *
 * I1. The latest two runs are kept, so that the log of a crash can be read.
 */
import { existsSync, readdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, errorMessage, type Logger } from '@fnlet/base';
import { LogFile } from './log-file.ts';
import { createLogWriter } from './log-writer.ts';
import type { RunOutput } from './output-keeper.ts';

const logName = /^(\d+)\.log$/;

export class RunLogs {
  readonly #clock: Clock;
  readonly #logger: Logger;

  constructor({ clock, logger }: { readonly clock: Clock; readonly logger: Logger }) {
    this.#clock = clock;
    this.#logger = logger;
  }

  /** Begins the log of a run; `onEnd` hears when nothing more will come. */
  open(
    directory: string,
    run: number,
    onEnd: () => void = () => {},
  ): { readonly log: LogFile; readonly output: RunOutput } {
    // The first two runs have nothing to remove (I1), and whoever wakes need not wait for a look.
    const before = run < 2 ? [] : listRuns(directory);
    for (const old of before.filter((other) => other < run - 1)) {
      this.#remove(finishedLog(directory, old));
    }
    const log = new LogFile(join(directory, `${run}`), false);
    const end = (): void => {
      log.end();
      onEnd();
    };
    const append = (lines: Uint8Array): void => this.#append(log, lines);
    return { log, output: createLogWriter({ clock: this.#clock, append, end }) };
  }

  // A full disk must not end the process that serves everybody.
  #append(log: LogFile, lines: Uint8Array): void {
    try {
      log.append(lines);
    } catch (error) {
      this.#logger.warn('Cannot write a log', { error: errorMessage(error) });
    }
  }

  #remove(log: LogFile): void {
    for (const path of [log.path, log.rotatedPath]) {
      rm(path, { force: true }).catch((error: unknown) => {
        this.#logger.warn('Cannot remove a log', { error: errorMessage(error) });
      });
    }
  }
}

/** The log of a run that is over. */
export function finishedLog(directory: string, run: number): LogFile {
  return new LogFile(join(directory, `${run}`), true);
}

/** Numbers of the runs that have a file, oldest first. */
export function listRuns(directory: string): number[] {
  const names = existsSync(directory) ? readdirSync(directory) : [];
  return names
    .flatMap((name) => logName.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => a - b);
}
