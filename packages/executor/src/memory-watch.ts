/**
 * Bounds memory where the kernel does not: looks at what process groups hold, and tells of those
 * that hold too much. Only on Linux, whose /proc says it.
 *
 * I1. Nothing is looked at while there is no group to watch.
 */
import type { Clock, Timer } from '@fnlet/base';
import { limits } from './limits.ts';
import { type ProcessEntry, readProcessTable, readResidentBytes } from './process-table.ts';

interface Watched {
  readonly bytesMax: number;
  readonly onFull: () => void;
}

export class MemoryWatch {
  readonly #clock: Clock;
  /** By process group. */
  readonly #watched = new Map<number, Watched>();
  #timer: Timer | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Calls `onFull` once when the group holds more than `bytesMax`; returns the way to stop. */
  watch(group: number, bytesMax: number, onFull: () => void): () => void {
    this.#watched.set(group, { bytesMax, onFull });
    this.#wait();
    return () => {
      this.#watched.delete(group);
      if (this.#watched.size > 0) return;
      this.#timer?.cancel();
      this.#timer = undefined;
    };
  }

  #wait(): void {
    this.#timer ??= this.#clock.after(limits.memoryLookMs, () => {
      void this.#look().finally(() => {
        this.#timer = undefined;
        if (this.#watched.size > 0) this.#wait();
      });
    });
  }

  async #look(): Promise<void> {
    const table = await readProcessTable();
    const watched = table.filter(({ group }) => this.#watched.has(group));
    const held = new Map<number, number>();
    await Promise.all(
      watched.map(async ({ pid, group }: ProcessEntry) => {
        const bytes = await readResidentBytes(pid);
        held.set(group, (held.get(group) ?? 0) + bytes);
      }),
    );
    for (const [group, bytes] of held) {
      const found = this.#watched.get(group);
      if (found === undefined || bytes <= found.bytesMax) continue;
      this.#watched.delete(group);
      found.onFull();
    }
  }
}
