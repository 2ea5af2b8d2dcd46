import { readdir, readFile } from 'node:fs/promises';

/** One process of this machine, as Linux shows it in /proc (proc_pid_stat(5)). */
export interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  /** Process group, named by its leader's pid. */
  readonly group: number;
  /** CPU that it has used in its life, in user and kernel mode. */
  readonly cpuMs: number;
}

/** USER_HZ, in which the kernel tells times to programs, is 100 wherever Node runs. */
const millisecondsPerTick = 10;

/** Every process that is there; those that end meanwhile are left out. */
export async function readProcessTable(): Promise<readonly ProcessEntry[]> {
  const table: ProcessEntry[] = [];
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const stat = await readFile(`/proc/${name}/stat`, 'latin1').catch(() => '');
    const entry = parseProcessStat(stat);
    if (entry !== undefined) table.push(entry);
  }
  return table;
}

/** Reads `/proc/<pid>/stat`; `undefined` for what has ended, and for a zombie, which has too. */
export function parseProcessStat(stat: string): ProcessEntry | undefined {
  // The second field is the program's name in brackets, and may hold any character.
  const nameEnd = stat.lastIndexOf(')');
  if (nameEnd < 0) return undefined;
  const [state, ...numbers] = stat.slice(nameEnd + 2).split(' ');
  if (state === 'Z') return undefined;
  const [parent = 0, group = 0] = numbers.map(Number);
  const [userTicks = 0, kernelTicks = 0] = numbers.slice(10, 12).map(Number);
  const cpuMs = (userTicks + kernelTicks) * millisecondsPerTick;
  return { pid: Number.parseInt(stat, 10), parent, group, cpuMs };
}

/** Resident memory of a process; 0 when it has ended. */
export async function readResidentBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'latin1').catch(() => '');
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1];
  return Number(kilobytes ?? 0) * 1024;
}
