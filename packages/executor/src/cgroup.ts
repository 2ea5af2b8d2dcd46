/**
 * Control groups of the kernel, in which processes get no more than their share: version 2, or
 * version 1 where the machine still has that (cgroups(7)). Files are small and of the kernel's own
 * memory, so they are read and written at once.
 */
import { mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hasCode } from '@fnlet/base';
import type { ResourceBounds } from './resource-bounds.ts';

/** One group: the processes in it, and all that they start, keep to its bounds together. */
export interface Cgroup {
  add(pid: number): void;
  /** How many processes the kernel has killed because the group was out of memory. */
  killed(): number;
  /** Removes the group; false while a process is in it. */
  remove(): boolean;
}

/** Where groups can be made. */
export interface CgroupHierarchy {
  create(name: string, bounds: ResourceBounds): Cgroup;
  /** Removes the place, and all groups in it that are empty. */
  remove(): void;
}

/** The period in which CPU is counted, in microseconds; the kernel's default. */
const periodUs = 100_000;

/** Kinds of usage that are bounded, each with a directory in which groups can be made. */
interface Controllers {
  readonly memory: string;
  readonly cpu: string;
  readonly version: 1 | 2;
}

/**
 * The place for the groups of this process, whose name nobody else uses; `undefined` where this
 * user may make none. What was left there by an earlier life is removed.
 */
export function findCgroupHierarchy(name: string): CgroupHierarchy | undefined {
  if (process.platform !== 'linux') return undefined;
  for (const controllers of [findUnified(name), findSeparate(name)]) {
    if (controllers === undefined) continue;
    removeGroups(controllers);
    const hierarchy = hierarchyOf(controllers);
    if (works(hierarchy)) return hierarchy;
  }
  return undefined;
}

function hierarchyOf(controllers: Controllers): CgroupHierarchy {
  const { memory, cpu } = controllers;
  return {
    create(name, bounds) {
      const paths = [...new Set([join(memory, name), join(cpu, name)])];
      for (const path of paths) mkdirSync(path, { recursive: true });
      for (const [file, value] of settings(controllers, name, bounds)) writeFileSync(file, value);
      return {
        add(pid) {
          for (const path of paths) writeFileSync(join(path, 'cgroup.procs'), `${pid}`);
        },
        killed: () => readKilled(controllers, name),
        remove: () => paths.map(removeGroup).every(Boolean),
      };
    },
    remove() {
      removeGroups(controllers);
      for (const directory of new Set([memory, cpu])) removeGroup(directory);
    },
  };
}

function settings(
  { memory, cpu, version }: Controllers,
  name: string,
  { memoryBytesMax, cpuCoresMax }: ResourceBounds,
): [string, string][] {
  const of = (directory: string, file: string): string => join(directory, name, file);
  const files: [string, string][] = [];
  if (memoryBytesMax !== undefined) {
    const bytes = `${Math.floor(memoryBytesMax)}`;
    if (version === 1) {
      files.push([of(memory, 'memory.limit_in_bytes'), bytes]);
    } else {
      files.push([of(memory, 'memory.max'), bytes]);
      // One Instance fails as a whole, as containers do.
      files.push([of(memory, 'memory.oom.group'), '1']);
    }
  }
  if (cpuCoresMax !== undefined) {
    const quotaUs = `${Math.max(1_000, Math.floor(cpuCoresMax * periodUs))}`;
    if (version === 1) {
      files.push([of(cpu, 'cpu.cfs_period_us'), `${periodUs}`]);
      files.push([of(cpu, 'cpu.cfs_quota_us'), quotaUs]);
    } else {
      files.push([of(cpu, 'cpu.max'), `${quotaUs} ${periodUs}`]);
    }
  }
  return files;
}

function readKilled({ memory, version }: Controllers, name: string): number {
  const file = version === 1 ? 'memory.oom_control' : 'memory.events';
  const text = tryRead(join(memory, name, file)) ?? '';
  return Number(/^oom_kill (\d+)$/m.exec(text)?.[1] ?? 0);
}

/** Version 2: one tree, in which the parent must hand the controllers on. */
function findUnified(name: string): Controllers | undefined {
  const root = '/sys/fs/cgroup';
  if (tryRead(join(root, 'cgroup.controllers')) === undefined) return undefined;
  const directory = join(root, name);
  try {
    const enabled = (path: string): void =>
      writeFileSync(join(path, 'cgroup.subtree_control'), '+cpu +memory');
    enabled(root);
    mkdirSync(directory, { recursive: true });
    enabled(directory);
  } catch {
    return undefined;
  }
  return { memory: directory, cpu: directory, version: 2 };
}

/** Version 1: a tree for each controller; ours is below the group of this process. */
function findSeparate(name: string): Controllers | undefined {
  const own = tryRead('/proc/self/cgroup') ?? '';
  const find = (controller: string): string | undefined => {
    const group = new RegExp(`^\\d+:(?:[^:]*,)?${controller}(?:,[^:]*)?:(.*)$`, 'm').exec(own)?.[1];
    if (group === undefined) return undefined;
    const path = join('/sys/fs/cgroup', controller, group, name);
    try {
      mkdirSync(path);
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) return undefined;
    }
    return path;
  };
  const memory = find('memory');
  const cpu = find('cpu');
  return memory === undefined || cpu === undefined ? undefined : { memory, cpu, version: 1 };
}

function works(hierarchy: CgroupHierarchy): boolean {
  try {
    const bounds = { memoryBytesMax: 64 * 1024 * 1024, cpuCoresMax: 1 };
    return hierarchy.create('trial', bounds).remove();
  } catch {
    return false;
  }
}

function removeGroups({ memory, cpu }: Controllers): void {
  for (const directory of new Set([memory, cpu])) {
    for (const entry of readdirSync(directory, { withFileTypes: true })) {
      if (entry.isDirectory()) removeGroup(join(directory, entry.name));
    }
  }
}

function removeGroup(path: string): boolean {
  try {
    rmdirSync(path);
    return true;
  } catch (error) {
    return hasCode(error, 'ENOENT');
  }
}

function tryRead(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
