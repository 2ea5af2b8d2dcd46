import { FnletError } from '@fnlet/base';

export type RuntimeErrorCode =
  /** No runtime has this name. */
  | 'UnknownRuntime'
  /** Its program is not on this machine. */
  | 'RuntimeNotFound'
  /** It has to be fetched, and the registry cannot be reached. */
  | 'RegistryUnreachable'
  /** It was fetched, or was to be, and that failed. */
  | 'InstallFailed';

/** Why a runtime cannot be started here. */
export class RuntimeError extends FnletError<RuntimeErrorCode> {}
