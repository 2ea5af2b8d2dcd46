import { resolve } from 'node:path';
import { systemClock, systemRandom } from '@fnlet/base';
import { type Command, CommanderError } from 'commander';
import type { CliContext } from './cli-context.ts';
import { commandName } from './command-name.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import { explainFailure, printFailure } from './failure.ts';
import { keepAlive } from './keep-alive.ts';
import { ownOutputFiles } from './own-output.ts';
import { createProgram } from './program.ts';
import { listenForStop } from './stop-signals.ts';

/** The names under which this program is installed. */
export type ProgramName = 'fnlet' | 'kubeless';

/** Runs a program with the arguments of this process and sets its exit code. */
export async function main(name: ProgramName = 'fnlet'): Promise<void> {
  // The first Ctrl-C asks to stop, the second one does not ask.
  using stop = listenForStop();
  // A reader that leaves early (fnlet ls | head) is not an error.
  process.stdout.on('error', () => process.exit(exitCodes.ok));
  const context: CliContext = {
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    workingDirectory: resolve('.'),
    command: commandName(process.env),
    ownOutput: ownOutputFiles(),
    clock: systemClock,
    random: systemRandom,
    signal: stop.signal,
  };
  // The clock's timers do not keep a process alive; a command that waits for one does.
  using _busy = keepAlive();
  try {
    const program =
      name === 'fnlet' ? createProgram(context, process.argv[2]) : await createKubeless(context);
    await program.parseAsync(process.argv);
  } catch (error) {
    const code = report(error, context, name);
    // Kubeless's command knows of no other failure.
    process.exitCode = name === 'fnlet' ? code : Math.min(code, exitCodes.failed);
  }
}

async function createKubeless(context: CliContext): Promise<Command> {
  const { createKubelessProgram } = await import('./kubeless/kubeless-program.ts');
  return createKubelessProgram(context);
}

/** Tells the user what failed and what to do about it; returns the exit code. */
export function report(
  error: unknown,
  context: Pick<CliContext, 'stderr' | 'command'>,
  name: ProgramName = 'fnlet',
): ExitCode {
  // Commander has printed its own message already; asking for help is no failure.
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
  const failure = explainFailure(error);
  printFailure(failure, context, name);
  return failure.exitCode;
}
