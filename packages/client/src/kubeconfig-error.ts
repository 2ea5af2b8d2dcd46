import { FnletError } from '@fnlet/base';

/**
 * - `NotFound`: there is no such file.
 * - `Invalid`: it cannot be read, or something that it names is missing.
 * - `UnknownContext`: there is no such context, or none is current.
 * - `UnsupportedAuth`: it asks for a credential plugin or a password.
 * - `UnsupportedProxy`: it asks for a proxy.
 */
export type KubeconfigErrorCode =
  | 'NotFound'
  | 'Invalid'
  | 'UnknownContext'
  | 'UnsupportedAuth'
  | 'UnsupportedProxy';

/** A kubeconfig does not lead to a cluster. */
export class KubeconfigError extends FnletError<KubeconfigErrorCode> {
  override readonly name = 'KubeconfigError';
}
