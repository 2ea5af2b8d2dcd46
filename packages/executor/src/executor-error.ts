import { FnletError } from '@fnlet/base';

/**
 * `LogsNotFound`: no log (any more). `InstanceNotFound`: nothing runs under this name.
 * `NoTerminal`: this machine cannot give one. `NoDirectory`: there is none to start a command in. `PortUnreachable`: nobody listens there.
 * `NoMounts`: the mounts of an Instance cannot be shown to it.
 * `InvalidVolume`: the name of a volume, or the path of a file in it, leads somewhere else.
 */
export type ExecutorErrorCode =
  | 'LogsNotFound'
  | 'InstanceNotFound'
  | 'NoTerminal'
  | 'NoDirectory'
  | 'PortUnreachable'
  | 'NoMounts'
  | 'InvalidVolume';

/** What can go wrong with Instances and containers from outside. */
export class ExecutorError extends FnletError<ExecutorErrorCode> {}
