import { FnletError } from '@fnlet/base';

/**
 * - `PortInUse`: somebody else listens there.
 * - `CannotListen`: the address is not one of this machine, or not allowed.
 * - `BrokenCertificate`: the files of the authority are there but cannot be used.
 * - `BrokenTokenKey`: the key for tokens is no private key, or of a kind that signs none.
 */
export type ApiServerErrorCode =
  | 'PortInUse'
  | 'CannotListen'
  | 'BrokenCertificate'
  | 'BrokenTokenKey';

/** What keeps the API from being reached. */
export class ApiServerError extends FnletError<ApiServerErrorCode> {
  override readonly name = 'ApiServerError';
}
