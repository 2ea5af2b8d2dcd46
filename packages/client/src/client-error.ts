import { FnletError } from '@fnlet/base';

/**
 * - `InvalidAnswer`: the server answered with something that is not what the API promises.
 * - `InvalidName`: no object can have that name, and its path would lead to something else.
 * - `InvalidPath`: the path of what to keep of an object cannot be read.
 * - `UnknownResource`: the API has no such kind.
 */
export type ClientErrorCode = 'InvalidAnswer' | 'InvalidName' | 'InvalidPath' | 'UnknownResource';

/** What was asked for cannot be had from the server. */
export class ClientError extends FnletError<ClientErrorCode> {
  override readonly name = 'ClientError';
}
