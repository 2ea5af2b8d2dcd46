/**
 * Owns the process groups that must not outlive this process, and the one small watcher that sees
 * to it. The watcher learns of groups through a pipe; when this process ends, for whatever reason,
 * the pipe ends too and the watcher kills every group still on its list.
 *
 * I1. A group is on the list from right after its start until it was killed as a whole: a removed
 *     group is never killed, so that the reuse of its number harms nobody.
 * I2. A watcher that dies is replaced at once and is given the whole list again.
 */
import type { ChildProcess } from 'node:child_process';
import type { Clock, Logger, Timer } from '@fnlet/base';
import { startGroupWatcher } from './group-watcher.ts';
import { limits } from './limits.ts';

export interface ReaperOptions {
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Guards process groups against outliving this process. */
export interface Reaper extends AsyncDisposable {
  /** From now on this group dies with this process. Groups are named by their leader's pid. */
  add(group: number): void;
  /** Kills what is left of the group with SIGKILL and forgets it. */
  remove(group: number): void;
  /** Sends a signal to the whole group; a group that is gone is not an error. */
  signal(group: number, signal: NodeJS.Signals): void;
  /** Kills all groups and ends the watcher. */
  close(): Promise<void>;
}

export function createReaper({ clock, logger }: ReaperOptions): Reaper {
  const groups = new Set<number>();
  // Started for the first group: a house that starts has more urgent things to do.
  let watcher: ChildProcess | undefined;
  let restart: Timer | undefined;
  let closed = false;

  const tell = (line: string): void => {
    watcher?.stdin?.write(`${line}\n`);
  };
  const start = (): void => {
    const shell = startGroupWatcher();
    watcher = shell;
    // Without a reader the write fails; the exit that follows is what counts.
    shell.stdin?.on('error', () => {});
    shell.once('error', (error) => {
      logger.error('Cannot start the watcher of process groups', { error: error.message });
    });
    shell.once('exit', () => {
      if (closed) return;
      logger.warn('The watcher of process groups died; it is started again');
      watcher = undefined;
      restart = clock.after(limits.reaperRestartMs, () => {
        restart = undefined;
        start();
      });
    });
    // It must not keep this process alive; its pipe ends with this process in any case.
    shell.unref();
    for (const group of groups) tell(`add ${group}`);
  };

  const remove = (group: number): void => {
    if (!groups.delete(group)) return;
    signalGroup(group, 'SIGKILL');
    tell(`remove ${group}`);
  };
  const close = async (): Promise<void> => {
    if (closed) return;
    closed = true;
    restart?.cancel();
    for (const group of [...groups]) remove(group);
    const shell = watcher;
    if (shell === undefined || shell.exitCode !== null || shell.pid === undefined) return;
    const ended = new Promise<void>((resolve) => shell.once('exit', () => resolve()));
    shell.ref();
    shell.stdin?.end();
    await ended;
  };
  return {
    add(group) {
      groups.add(group);
      if (watcher === undefined && restart === undefined) start();
      else tell(`add ${group}`);
    },
    remove,
    signal: signalGroup,
    close,
    [Symbol.asyncDispose]: close,
  };
}

function signalGroup(group: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-group, signal);
  } catch {
    // ESRCH: the group is gone, which is what was wanted. EPERM: only zombies of it are left.
  }
}
