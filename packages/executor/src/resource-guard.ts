/**
 * Owns the bounds of Instances: control groups of the kernel where this user may make them, else a
 * watch over their memory. Nothing is made, and nothing is looked for, before an Instance has a
 * bound.
 *
 * I1. Code runs within its bounds from its first line on.
 * I2. Only the processes of that Instance are ended, and it is known why.
 */
import type { Clock, Logger } from '@fnlet/base';
import type { Cgroup, CgroupHierarchy } from './cgroup.ts';
import { limits } from './limits.ts';
import { lowerPriority } from './lower-priority.ts';
import { MemoryWatch } from './memory-watch.ts';
import type { Reaper } from './reaper.ts';
import { isBounded, type ResourceBounds } from './resource-bounds.ts';

export interface ResourceGuardOptions {
  /** Where groups can be made; asked for once. */
  readonly findHierarchy: () => CgroupHierarchy | undefined;
  readonly reaper: Pick<Reaper, 'signal'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A process whose use is bounded. */
export interface BoundProcess {
  /** Whether it, or something that it started, was killed for its use of memory. */
  wasOutOfMemory(): boolean;
  /** To be called when it has ended. */
  release(): void;
}

const unbounded: BoundProcess = { wasOutOfMemory: () => false, release: () => {} };

export class ResourceGuard {
  readonly #options: ResourceGuardOptions;
  readonly #watch: MemoryWatch;
  #hierarchy: CgroupHierarchy | undefined | 'unknown' = 'unknown';
  #count = 0;

  constructor(options: ResourceGuardOptions) {
    this.#options = options;
    this.#watch = new MemoryWatch(options.clock);
  }

  /** Bounds a process, which leads its group, and what it starts from now on. */
  bind(pid: number, bounds: ResourceBounds): BoundProcess {
    if (!isBounded(bounds)) return unbounded;
    const hierarchy = this.#find();
    if (hierarchy === undefined) return this.#bindWatched(pid, bounds);
    try {
      const cgroup = hierarchy.create(`${pid}-${this.#count++}`, bounds);
      cgroup.add(pid);
      return {
        wasOutOfMemory: () => cgroup.killed() > 0,
        release: () => this.#remove(cgroup, limits.cgroupRemovalsMax),
      };
    } catch (error) {
      const fields = { pid, error: error instanceof Error ? error.message : String(error) };
      this.#options.logger.warn('Cannot bound a process by a control group', fields);
      return this.#bindWatched(pid, bounds);
    }
  }

  /** To be called when all have ended. */
  close(): void {
    if (this.#hierarchy !== 'unknown') this.#hierarchy?.remove();
  }

  #find(): CgroupHierarchy | undefined {
    if (this.#hierarchy !== 'unknown') return this.#hierarchy;
    const { logger, findHierarchy } = this.#options;
    this.#hierarchy = findHierarchy();
    if (this.#hierarchy === undefined) {
      logger.warn(
        'This user may make no control groups: memory limits are kept by looking at processes, ' +
          'CPU limits only lower their priority',
      );
    }
    return this.#hierarchy;
  }

  #bindWatched(pid: number, { memoryBytesMax, cpuCoresMax }: ResourceBounds): BoundProcess {
    const { reaper, clock } = this.#options;
    if (cpuCoresMax !== undefined) lowerPriority(pid, clock);
    if (memoryBytesMax === undefined) return unbounded;
    let full = false;
    const release = this.#watch.watch(pid, memoryBytesMax, () => {
      full = true;
      reaper.signal(pid, 'SIGKILL');
    });
    return { wasOutOfMemory: () => full, release };
  }

  // The kernel lets a group go when its last process was collected, which takes a moment.
  #remove(cgroup: Cgroup, tries: number): void {
    if (cgroup.remove() || tries === 0) return;
    this.#options.clock.after(limits.cgroupRemovalMs, () => this.#remove(cgroup, tries - 1));
  }
}
