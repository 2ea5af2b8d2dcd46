import { errorMessage, FnletError, isJsonObject } from '@fnlet/base';
import type { CliContext } from './cli-context.ts';
import { CliError } from './cli-error.ts';
import { asTyped } from './command-name.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';

/** What a user is told of a failure. */
export interface Failure {
  readonly exitCode: ExitCode;
  readonly message: string;
  /** What to do about it, where somebody knows. */
  readonly remedy: string | undefined;
}

/** Tells the user in one line, and what to do in the next. */
export function printFailure(
  { message, remedy }: Failure,
  { stderr, command }: Pick<CliContext, 'stderr' | 'command'>,
  program = 'fnlet',
): void {
  stderr.write(`${program}: ${message}\n`);
  if (remedy !== undefined) stderr.write(`${asTyped(remedy, command)}\n`);
}

/** Explains anything that was thrown while a command ran. */
export function explainFailure(error: unknown): Failure {
  const code = error instanceof FnletError ? error.code : undefined;
  const remedy = error instanceof FnletError ? error.remedy : undefined;
  return {
    exitCode: error instanceof CliError ? error.exitCode : exitCodeOf(code),
    message: errorMessage(error),
    remedy: remedy ?? remedyOf(code, error),
  };
}

function exitCodeOf(code: string | undefined): ExitCode {
  switch (code) {
    case 'NotFound':
      return exitCodes.notFound;
    case 'Unreachable':
    case 'Interrupted':
    case 'Unauthorized':
      return exitCodes.unreachable;
    case 'InvalidConfig':
    case 'InvalidName':
      return exitCodes.usage;
    default:
      return exitCodes.failed;
  }
}

function remedyOf(code: string | undefined, error: unknown): string | undefined {
  switch (code) {
    case 'NotFound':
      return missingRemedy(error);
    case 'Unauthorized':
      return 'Use the kubeconfig that "fnlet up" wrote into its data directory, or another context';
    case 'Forbidden':
      return 'Ask for a role that allows it, or use another context with --context';
    case 'Interrupted':
      return 'Try again; if that fails as well, look whether the API still runs';
    default:
      return undefined;
  }
}

function listOf(kind: unknown): string {
  return kind === 'triggers' ? 'fnlet trigger ls' : 'fnlet ls';
}

// Only a Status knows what kind of object is missing (meta/v1 StatusDetails).
function missingRemedy(error: unknown): string {
  const status = error instanceof Error && 'status' in error ? error.status : undefined;
  const details = isJsonObject(status) && isJsonObject(status.details) ? status.details : {};
  if (details.kind === 'namespaces') {
    return `Create it: kubectl create namespace ${String(details.name)}; or choose one with -n`;
  }
  return details.kind === undefined
    ? 'Is Fnlet installed there? This API does not know Functions'
    : `What there is: ${listOf(details.kind)}, or ${listOf(details.kind)} -A for all namespaces`;
}
