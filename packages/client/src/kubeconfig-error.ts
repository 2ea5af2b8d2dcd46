import { FnletError } from '@fnlet/base';

/**
 * - `NotFound`: there is no such file.
 * - `Invalid`: it cannot be read, or something that it names is missing.
 * - `UnknownContext`: there is no such context, or none is current.
 * - `Credentials`: the program that should give credentials did not.
 * - `UnsupportedAuth`: it asks for a password, or for a plugin that wants to talk to a human.
 * - `UnsupportedProxy`: it asks for a proxy that does not speak HTTP.
 */
export type KubeconfigErrorCode =
  | 'NotFound'
  | 'Invalid'
  | 'UnknownContext'
  | 'Credentials'
  | 'UnsupportedAuth'
  | 'UnsupportedProxy';

/** A kubeconfig does not lead to a cluster. */
export class KubeconfigError extends FnletError<KubeconfigErrorCode> {
  override readonly name = 'KubeconfigError';
}
