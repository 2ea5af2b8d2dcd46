import { FnletError } from '@fnlet/base';

/**
 * - `InvalidAnswer`: the server answered with something that is not what the API promises.
 * - `UnknownResource`: the API has no such kind.
 */
export type ClientErrorCode = 'InvalidAnswer' | 'UnknownResource';

/** The server answered, but not with what was asked for. */
export class ClientError extends FnletError<ClientErrorCode> {
  override readonly name = 'ClientError';
}
