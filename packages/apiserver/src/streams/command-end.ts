import type { Status } from '@fnlet/machinery';

/** How an exec or attach ended. */
export type CommandEnd =
  | { readonly kind: 'exited'; readonly exitCode: number }
  /** It could not be run, or not be followed to its end. */
  | { readonly kind: 'failed'; readonly status: Status };

/**
 * What goes to the error stream. Since v4 a Status, from which clients take the exit code; before
 * that a text, and nothing after a success.
 */
export function formatEnd(end: CommandEnd, isStatus: boolean): string {
  if (!isStatus) return textOf(end);
  if (end.kind === 'failed') return JSON.stringify(end.status);
  const { exitCode } = end;
  if (exitCode === 0) return JSON.stringify({ metadata: {}, status: 'Success' });
  return JSON.stringify({
    metadata: {},
    status: 'Failure',
    message: textOf(end),
    // Not among the reasons of metav1: client-go knows it in its package remotecommand only.
    reason: 'NonZeroExitCode',
    details: { causes: [{ reason: 'ExitCode', message: String(exitCode) }] },
  });
}

function textOf(end: CommandEnd): string {
  if (end.kind === 'failed') return end.status.message ?? 'the command could not be run';
  if (end.exitCode === 0) return '';
  return `command terminated with non-zero exit code: exit status ${end.exitCode}`;
}
