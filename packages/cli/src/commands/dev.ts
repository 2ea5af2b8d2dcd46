import { basename, resolve } from 'node:path';
import { errorMessage, hasCode } from '@fnlet/base';
import type { CliContext } from '../cli-context.ts';
import { connect } from '../connection.ts';
import { type Developed, endDevelopment, keepDeveloped } from '../development.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { explainFailure, printFailure } from '../failure.ts';
import type { DevFlags } from '../flags.ts';
import { functionNameFor } from '../function-name.ts';
import { farewellMs, waitMs } from '../limits.ts';
import { openSource, watchSource } from '../source-watch.ts';
import { applySource, showRollout } from './deploy.ts';
import { followLogs } from './logs.ts';

// Not an API that does not answer, a namespace that is missing, or a wrong command line.
const mendedByEdit: ReadonlySet<ExitCode> = new Set([
  exitCodes.failed,
  exitCodes.timedOut,
  exitCodes.notReady,
]);

/** `fnlet dev`: deploys, follows the logs and deploys again at every change, until Ctrl-C. */
export async function dev(
  options: DevFlags & { readonly source: string },
  context: CliContext,
): Promise<void> {
  const path = resolve(context.workingDirectory, options.source);
  const name = options.name ?? functionNameFor(basename(path).replace(/\.[a-z]+$/, ''));
  await using connection = await connect(options, context);
  let isMarked = false;
  const deployOnce = async (): Promise<void> => {
    const wanted = { ...options, name, development: true };
    const applied = await applySource(connection, wanted, context);
    isMarked = applied.development;
    const url = await showRollout(connection, { ...applied, timeoutMs: waitMs }, context);
    context.stdout.write(`${url}\n`);
  };
  const watched = await openSource(options.source, context);
  // The first source may be broken already: say so and wait for the edit that mends it.
  await deployOnce().catch((error: unknown) => {
    const failure = explainFailure(error);
    if (context.signal.aborted || !mendedByEdit.has(failure.exitCode)) throw error;
    printFailure(failure, context);
  });
  const following = followLogs(connection, { ...options, name, follow: true }, context).catch(
    (error: unknown) => {
      context.stderr.write(`fnlet: the log is no longer followed: ${errorMessage(error)}\n`);
    },
  );
  const { functions, namespace } = connection;
  const developed = { functions, key: { namespace, name }, clock: context.clock };
  const kept = keepDeveloped(developed, () => isMarked, context.signal);
  await watchSource(watched, deployOnce, context);
  await Promise.all([following, kept]);
  if (isMarked) await sayGoodbye(developed, context);
  context.stderr.write(
    `function/${name} stays; remove it with: ${context.command} delete ${name}\n`,
  );
}

/** Says that nobody works on the code any more: the function has a Deployment again. */
async function sayGoodbye(
  developed: Developed,
  { clock, stderr, command }: CliContext,
): Promise<void> {
  // That of the context is over: it was Ctrl-C.
  const timeout = new AbortController();
  const timer = clock.after(farewellMs, () => timeout.abort());
  try {
    await endDevelopment(developed, timeout.signal);
  } catch (error) {
    if (hasCode(error, 'NotFound')) return;
    const untilThen = `for a quarter of an hour, or until the next ${command} deploy`;
    stderr.write(`fnlet: it keeps a Pod that waits ${untilThen}: ${errorMessage(error)}\n`);
  } finally {
    timer.cancel();
  }
}
