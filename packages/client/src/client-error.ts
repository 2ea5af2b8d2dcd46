import { FnletError } from '@fnlet/base';

/**
 * - `InvalidAnswer`: the server answered with something that is not what the API promises.
 * - `InvalidPath`: the path of what to keep of an object cannot be read.
 * - `UnknownResource`: the API has no such kind.
 */
export type ClientErrorCode = 'InvalidAnswer' | 'InvalidPath' | 'UnknownResource';

/** What was asked for cannot be had from the server. */
export class ClientError extends FnletError<ClientErrorCode> {
  override readonly name = 'ClientError';
}
