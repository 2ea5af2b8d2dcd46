import { FnletError } from '@fnlet/base';

/**
 * - `Expired`: a place in a shard has to be asked for anew.
 * - `Throttled`: it is asked too often, or too much.
 * - `NotFound`: there is no such stream, or no such shard any more.
 * - `Forbidden`: it does not let in who asks.
 * - `Invalid`: it does not take the question.
 * - `Unavailable`: there is no answer, or none that can be read.
 */
export type KinesisErrorCode =
  | 'Expired'
  | 'Throttled'
  | 'NotFound'
  | 'Forbidden'
  | 'Invalid'
  | 'Unavailable';

/** Why Kinesis did not answer what it was asked. */
export class KinesisError extends FnletError<KinesisErrorCode> {
  override readonly name = 'KinesisError';
}

const codes: Readonly<Record<string, KinesisErrorCode>> = {
  ExpiredIteratorException: 'Expired',
  ProvisionedThroughputExceededException: 'Throttled',
  LimitExceededException: 'Throttled',
  ThrottlingException: 'Throttled',
  RequestLimitExceeded: 'Throttled',
  KMSThrottlingException: 'Throttled',
  ResourceNotFoundException: 'NotFound',
  AccessDeniedException: 'Forbidden',
  ExpiredTokenException: 'Forbidden',
  IncompleteSignatureException: 'Forbidden',
  InvalidSignatureException: 'Forbidden',
  KMSAccessDeniedException: 'Forbidden',
  MissingAuthenticationTokenException: 'Forbidden',
  UnrecognizedClientException: 'Forbidden',
  InvalidArgumentException: 'Invalid',
  SerializationException: 'Invalid',
  ValidationException: 'Invalid',
};

/** What an exception of Kinesis means, by its name; `status` decides for those that are not known. */
export function kinesisErrorCode(exception: string, status: number): KinesisErrorCode {
  const known = codes[exception];
  if (known !== undefined) return known;
  if (status === 429) return 'Throttled';
  if (status === 401 || status === 403) return 'Forbidden';
  return status >= 400 && status < 500 ? 'Invalid' : 'Unavailable';
}
