import { FnletError } from '@fnlet/base';

/**
 * `LogsNotFound`: no log (any more). `InstanceNotFound`: nothing runs under this name.
 * `NoTerminal`: this machine cannot give one. `PortUnreachable`: nobody listens there.
 */
export type ExecutorErrorCode =
  | 'LogsNotFound'
  | 'InstanceNotFound'
  | 'NoTerminal'
  | 'PortUnreachable';

/** What can go wrong with Instances from outside. */
export class ExecutorError extends FnletError<ExecutorErrorCode> {}
