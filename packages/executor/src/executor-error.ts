import { FnletError } from '@fnlet/base';

export type ExecutorErrorCode = 'LogsNotFound';

/** What can go wrong with Instances from outside. */
export class ExecutorError extends FnletError<ExecutorErrorCode> {}
