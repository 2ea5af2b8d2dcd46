import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { kubectlProgram } from './fnlet-process.ts';

/** A kubectl that is on this machine. */
export interface KubectlProgram {
  readonly path: string;
  /** The minor version of its release 1.x. */
  readonly minor: number;
}

const clients = join(import.meta.dirname, '..', 'node_modules', '.cache', 'clients');

/** Every kubectl that can be found, one of each minor version, oldest first. */
export function findKubectlPrograms(): readonly KubectlProgram[] {
  const cached = existsSync(clients)
    ? readdirSync(clients)
        .filter((name) => name.startsWith('kubectl'))
        .map((name) => join(clients, name))
    : [];
  const byMinor = new Map<number, KubectlProgram>();
  for (const path of [...cached, kubectlProgram(), 'kubectl']) {
    const minor = minorOf(path);
    if (minor !== undefined && !byMinor.has(minor)) byMinor.set(minor, { path, minor });
  }
  return [...byMinor.values()].sort((a, b) => a.minor - b.minor);
}

function minorOf(path: string): number | undefined {
  try {
    const args = ['version', '--client', '--output=json'];
    const text = execFileSync(path, args, {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const minor = /"minor": "(\d+)/.exec(text)?.[1];
    return minor === undefined ? undefined : Number(minor);
  } catch {
    return undefined;
  }
}
