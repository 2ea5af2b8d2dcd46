/** The command `fnlet` in this process: what it prints, and its exit code. */
import { Readable, Writable } from 'node:stream';
import { systemClock, systemRandom } from '@fnlet/base';
import type { CliContext } from '../packages/cli/src/cli-context.ts';
import { explainFailure } from '../packages/cli/src/failure.ts';
import { createProgram } from '../packages/cli/src/program.ts';

export interface CommandRun {
  readonly code: number;
  readonly stdout: string;
  /** Ends with the message and the remedy of what went wrong. */
  readonly stderr: string;
}

export interface CommandPlace {
  readonly env: Readonly<Record<string, string>>;
  readonly directory: string;
  /** What is typed. Default: nothing, and no more to come. */
  readonly stdin?: string;
}

export async function runCommand(
  args: readonly string[],
  { env, directory, stdin }: CommandPlace,
): Promise<CommandRun> {
  const out: string[] = [];
  const err: string[] = [];
  const context: CliContext = {
    ...{ stdin: Readable.from(stdin === undefined ? [] : [stdin]) },
    ...{ stdout: sink(out), stderr: sink(err), env, workingDirectory: directory },
    ...{ command: 'fnlet', ownOutput: new Set(), clock: systemClock, random: systemRandom },
    signal: new AbortController().signal,
  };
  const printed = (code: number, rest = ''): CommandRun => ({
    ...{ code, stdout: out.join(''), stderr: err.join('') + rest },
  });
  try {
    await createProgram(context).parseAsync([...args], { from: 'user' });
    return printed(0);
  } catch (error) {
    const { exitCode, message, remedy = '' } = explainFailure(error);
    return printed(exitCode, `${message}\n${remedy}`);
  }
}

function sink(texts: string[]): Writable {
  return new Writable({
    write(chunk, _encoding, done) {
      texts.push(String(chunk));
      done();
    },
  });
}
