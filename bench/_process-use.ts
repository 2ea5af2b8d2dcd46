/** What a process and all below it take of the machine. */
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

const clockTicksPerSecond = 100;

export interface Use {
  /** Proportional set sizes together. */
  readonly totalMB: number;
  /** Of the first process. */
  readonly mainMB: number;
  readonly processes: number;
  /** Of those that there are now. */
  readonly cpuSeconds: number;
  /** Of the first process. */
  readonly mainCpuSeconds: number;
}

/** A process and all below it. */
async function treeOf(root: number): Promise<number[]> {
  const parents = new Map<number, number>();
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const stat = await readFile(`/proc/${name}/stat`, 'utf8').catch(() => '');
    const [, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (parent !== undefined) parents.set(Number(name), Number(parent));
  }
  const tree = [root];
  for (const pid of tree) {
    for (const [child, parent] of parents) if (parent === pid) tree.push(child);
  }
  return tree;
}

export async function pssMB(pid: number): Promise<number> {
  const rollup = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '');
  return Number(/^Pss:\s+(\d+) kB/m.exec(rollup)?.[1] ?? 0) / 1000;
}

async function cpuSeconds(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) / clockTicksPerSecond;
}

export async function useOf(root: number): Promise<Use> {
  const tree = await treeOf(root);
  const sizes = await Promise.all(tree.map(pssMB));
  const times = await Promise.all(tree.map(cpuSeconds));
  const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);
  return {
    ...{ totalMB: sum(sizes), mainMB: sizes[0] ?? 0 },
    ...{ processes: tree.length, cpuSeconds: sum(times), mainCpuSeconds: times[0] ?? 0 },
  };
}

/** A look at the use of the processor takes so long. */
const lookSeconds = 5;

/**
 * Waits until the processes have used less than a hundredth of a core for three looks in a row, or
 * for so long; returns how many seconds that took. What a start leaves to do later, such as to
 * write logs and to collect garbage, is over then.
 */
export async function untilQuiet(root: number, secondsMax = 120): Promise<number> {
  const startMs = performance.now();
  const passed = (): number => (performance.now() - startMs) / 1000;
  let before = await useOf(root);
  for (let quiet = 0; quiet < 3 && passed() < secondsMax; ) {
    await sleep(lookSeconds * 1000);
    const now = await useOf(root);
    const share = (now.cpuSeconds - before.cpuSeconds) / lookSeconds;
    quiet = share < 0.01 ? quiet + 1 : 0;
    before = now;
  }
  return passed();
}
