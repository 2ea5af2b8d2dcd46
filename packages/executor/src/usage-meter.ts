/**
 * Owns the latest reading of what processes use. Nothing is read while nobody asks: the first
 * answer takes a window, later ones reach back to the reading before.
 *
 * I1. One reading at a time; who asks meanwhile shares it.
 */
import { cpus, freemem, totalmem } from 'node:os';
import { type Clock, sleep } from '@fnlet/base';
import { limits } from './limits.ts';
import { readProcessTable, readResidentBytes } from './process-table.ts';

/** What a group of processes uses. */
export interface Usage {
  /** CPU over the window: 1 is one core. */
  readonly cores: number;
  readonly memoryBytes: number;
}

export interface MeterReading {
  readonly atMs: number;
  readonly windowMs: number;
  /** By process group, named by its leader's pid. */
  readonly groups: ReadonlyMap<number, Usage>;
  readonly machine: Usage;
}

interface Sample {
  readonly monotonicMs: number;
  readonly machineCpuMs: number;
  /** Every process by pid: one that is asked for later must not seem to be new. */
  readonly processes: ReadonlyMap<number, { readonly group: number; readonly cpuMs: number }>;
}

export class UsageMeter {
  readonly #clock: Clock;
  #last: Sample | undefined;
  #reading: Promise<MeterReading> | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** What these groups use at present. */
  read(groups: ReadonlySet<number>): Promise<MeterReading> {
    this.#reading ??= this.#read(groups).finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #read(groups: ReadonlySet<number>): Promise<MeterReading> {
    const nowMs = this.#clock.monotonicMs();
    const last = this.#last;
    const isRecent = last !== undefined && nowMs - last.monotonicMs < limits.usageWindowMaxMs;
    const before = isRecent ? last : await this.#sample();
    const missingMs = limits.usageWindowMs - (this.#clock.monotonicMs() - before.monotonicMs);
    if (missingMs > 0) await sleep(this.#clock, missingMs);
    const after = await this.#sample();
    this.#last = after;
    const wanted = [...after.processes].filter(([, { group }]) => groups.has(group));
    const memory = await Promise.all(
      wanted.map(async ([pid, { group }]) => ({ group, bytes: await readResidentBytes(pid) })),
    );
    return {
      atMs: this.#clock.now(),
      windowMs: after.monotonicMs - before.monotonicMs,
      groups: planUsage(before, { ...after, processes: new Map(wanted) }, memory),
      machine: {
        cores: rate(before, after, after.machineCpuMs - before.machineCpuMs),
        memoryBytes: totalmem() - freemem(),
      },
    };
  }

  async #sample(): Promise<Sample> {
    const table = await readProcessTable();
    return {
      monotonicMs: this.#clock.monotonicMs(),
      machineCpuMs: machineCpuMs(),
      processes: new Map(table.map((entry) => [entry.pid, entry])),
    };
  }
}

/** Sums up by group; a process that began within the window counts with all that it used. */
export function planUsage(
  before: Sample,
  after: Sample,
  memory: readonly { readonly group: number; readonly bytes: number }[],
): ReadonlyMap<number, Usage> {
  const usages = new Map<number, Usage>();
  const add = (group: number, cores: number, bytes: number): void => {
    const sum = usages.get(group) ?? { cores: 0, memoryBytes: 0 };
    usages.set(group, { cores: sum.cores + cores, memoryBytes: sum.memoryBytes + bytes });
  };
  for (const [pid, { group, cpuMs }] of after.processes) {
    const earlier = before.processes.get(pid)?.cpuMs ?? 0;
    add(group, rate(before, after, Math.max(0, cpuMs - earlier)), 0);
  }
  for (const { group, bytes } of memory) add(group, 0, bytes);
  return usages;
}

function rate(before: Sample, after: Sample, cpuMs: number): number {
  return cpuMs / Math.max(1, after.monotonicMs - before.monotonicMs);
}

function machineCpuMs(): number {
  return cpus().reduce(
    (sum, { times }) => sum + times.user + times.nice + times.sys + times.irq,
    0,
  );
}
