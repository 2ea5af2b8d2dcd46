import type { Readable, Writable } from 'node:stream';
import type { Clock, Random } from '@fnlet/base';

/** What a command may touch of the world; one value, so that tests can hand in their own. */
export interface CliContext {
  readonly stdin: Readable;
  /** What the user asked for: tables, objects, answers. */
  readonly stdout: Writable;
  /** What the user should know on the way: steps, hints, errors. */
  readonly stderr: Writable;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly workingDirectory: string;
  /** How the user types `fnlet`, such as `npx fnlet`. */
  readonly command: string;
  /** The files that stdout and stderr are redirected to, by `fileIdentity`. */
  readonly ownOutput: ReadonlySet<string>;
  readonly clock: Clock;
  readonly random: Random;
  /** Aborts at the first Ctrl-C. */
  readonly signal: AbortSignal;
}

/** Flags that every command understands. */
export interface GlobalOptions {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly namespace?: string;
  readonly output?: OutputFormat;
}

/** Formats that hold any value, not objects only. */
export type DocumentFormat = 'json' | 'yaml';

export type OutputFormat = DocumentFormat | 'name' | 'table';
