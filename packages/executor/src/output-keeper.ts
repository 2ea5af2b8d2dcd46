import type { RunnableRevision } from './executor.ts';
import type { LogStream } from './log-line.ts';

/** The output of one run of an Instance's process. */
export interface RunOutput {
  /** Takes a piece of output as it came; pieces need not be whole lines. */
  write(stream: LogStream, chunk: Uint8Array): void;
  /** No more will come. */
  end(): void;
}

/** Where the output of Instances goes. */
export interface OutputKeeper {
  /** A process starts; `run` counts the restarts before it. */
  open(target: {
    readonly id: string;
    readonly revision: RunnableRevision;
    readonly run: number;
  }): RunOutput;
  /** The Instance will not run again; `isFailed` says that it ended because it did not run. */
  stopped(target: {
    readonly id: string;
    readonly revision: RunnableRevision;
    readonly isFailed: boolean;
  }): void;
}

/** Keeps nothing. */
export const discardOutput: OutputKeeper = {
  open: () => ({ write() {}, end() {} }),
  stopped() {},
};
