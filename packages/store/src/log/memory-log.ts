import { type Clock, systemClock } from '@fnlet/base';
import type { Log } from './log.ts';
import { MemoryTables } from './memory-tables.ts';
import { TableLog } from './table-log.ts';

export interface MemoryLogOptions {
  /** What times and ages are told by. Default: the machine's clock. */
  readonly clock?: Clock;
}

/** A log that lives and dies with the process: for tests, and for what need not be kept. */
export function openMemoryLog({ clock = systemClock }: MemoryLogOptions = {}): Log {
  return new TableLog(new MemoryTables(), { clock });
}
