import { readFile } from 'node:fs/promises';
import { hasCode } from '@fnlet/base';

/** A process, told apart from a later one that got the same pid. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Boot and tick at which it started; `undefined` where the system does not tell (no /proc). */
  readonly startedAt: string | undefined;
}

export async function thisProcess(): Promise<ProcessIdentity> {
  return { pid: process.pid, startedAt: await startOf(process.pid) };
}

/** Whether exactly this process still runs. A zombie, which nobody has waited for yet, does not. */
export async function isAlive(identity: ProcessIdentity): Promise<boolean> {
  if (!hasPid(identity.pid)) return false;
  if (identity.startedAt === undefined) return true;
  return (await startOf(identity.pid)) === identity.startedAt;
}

function hasPid(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it runs, but as somebody else.
    return hasCode(error, 'EPERM');
  }
}

async function startOf(pid: number): Promise<string | undefined> {
  try {
    const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8');
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    // proc(5): the name in field 2 may hold anything, also ")"; start time is field 22.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z') return undefined;
    return `${boot.trim()}/${fields[19]}`;
  } catch {
    return undefined;
  }
}
