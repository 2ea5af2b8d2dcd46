import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunnerReport, Specialisation } from '@fnlet/invocation';
import { run } from './runner.ts';

/** Where calls are answered. */
export interface ServedAddress {
  readonly host: string;
  readonly port: number;
}

/**
 * Serves one function without an owner: this process gives the Runner in it its code. Ends with 1
 * when the code cannot be loaded or the port cannot be had; a signal drains it.
 */
export async function serve(
  specialisation: Specialisation,
  { host, port }: ServedAddress,
): Promise<void> {
  // Nobody calls there, but a Runner has one; in a directory that an earlier run cannot have used.
  const socket = join(await mkdtemp(join(tmpdir(), 'function-')), 'socket');
  await run(['--socket', socket, '--host', host, '--port', String(port)], (listener) => {
    queueMicrotask(() => listener.onCommand({ type: 'specialise', specialisation }));
    return { report: (report) => hear(report, host), close: () => process.exit() };
  });
}

function hear(report: RunnerReport, host: string): void {
  if (report.type === 'warm') {
    // The Runner has said why.
    if (report.port === 0) process.exit(1);
    process.stderr.write(`Listening on ${host}:${report.port}\n`);
  } else if (report.type === 'failed') {
    const { code, message, file, line, stack } = report.failure;
    const place = file === undefined ? '' : ` (${file}${line === undefined ? '' : `:${line}`})`;
    process.stderr.write(`${code}: ${message}${place}\n${stack ?? ''}\n`);
    process.exit(1);
  }
}
