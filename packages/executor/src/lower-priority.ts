import { writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { type Clock, hasCode } from '@fnlet/base';
import { limits } from './limits.ts';

/** Lets a process, which leads its session, and what it starts stand behind all others. */
export function lowerPriority(pid: number, clock: Pick<Clock, 'after'>): void {
  try {
    setPriority(pid, limits.boundedNiceness);
  } catch {
    // It has ended, which is known elsewhere.
    return;
  }
  if (process.platform !== 'linux') return;
  lowerSession(() => writeFileSync(`/proc/${pid}/autogroup`, `${limits.boundedNiceness}`), clock);
}

/**
 * Where the kernel groups processes by session (sched_autogroup, as on most desktops), a niceness
 * counts only within one, and an Instance is a session of its own: so its group gets it, too
 * (sched(7)). But for root, one group may be set in a tenth of a second, over all users: `write`
 * throws `EAGAIN` then.
 */
export function lowerSession(
  write: () => void,
  clock: Pick<Clock, 'after'>,
  retries: number = limits.autogroupRetriesMax,
): void {
  try {
    write();
  } catch (error) {
    // Anything else: it has ended, or this kernel has no such groups.
    if (!hasCode(error, 'EAGAIN') || retries === 0) return;
    clock.after(limits.autogroupRetryMs, () => lowerSession(write, clock, retries - 1));
  }
}
