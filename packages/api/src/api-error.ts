import { FnletError } from '@fnlet/base';

/** `UnexpectedShape`: an object is not what its kind promises; it did not pass its schema. */
export type ApiErrorCode = 'UnexpectedShape';

export class ApiError extends FnletError<ApiErrorCode> {
  override readonly name = 'ApiError';
}
