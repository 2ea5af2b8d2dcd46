import { errorMessage, hasCode, type Logger } from '@fnlet/base';
import { type Status, StatusError, statusCodes, statusError } from '@fnlet/machinery';
import { badRequest, internalError, plainFailure } from './status-texts.ts';

/**
 * The Status of whatever was thrown while a request was handled: the one border where errors of
 * the rooms below turn into answers. What nobody expected is logged and answered with 500.
 */
export function toStatus(error: unknown, logger: Logger): Status {
  if (error instanceof StatusError) return error.status;
  const known = knownStatus(error);
  if (known !== undefined) return known.status;
  const stack = error instanceof Error ? error.stack : undefined;
  logger.error(`Cannot answer a request: ${errorMessage(error)}`, { stack });
  return internalError(errorMessage(error)).status;
}

function knownStatus(error: unknown): StatusError | undefined {
  const message = errorMessage(error);
  if (hasCode(error, 'InvalidSelector') || hasCode(error, 'InvalidPatch'))
    return badRequest(message);
  if (hasCode(error, 'PatchTooLarge')) return statusError('RequestEntityTooLarge', message);
  if (hasCode(error, 'PatchTestFailed') || hasCode(error, 'PatchNotApplicable')) {
    // kube-apiserver says no more than this about a patch that does not fit.
    const text = 'the server rejected our request due to an error in our request';
    return statusError('Invalid', text, {});
  }
  if (hasCode(error, 'InvalidTypedValue')) return plainFailure(500, message);
  if (hasCode(error, 'Full')) {
    return statusError('TooManyRequests', message, { retryAfterSeconds: 1 });
  }
  if (hasCode(error, 'Closed') || hasCode(error, 'Broken')) {
    return statusError('ServiceUnavailable', message);
  }
  return hasCode(error, 'InvalidKey') ? badRequest(message) : undefined;
}

/** The HTTP status of a Status. */
export function statusCode(status: Status): number {
  if (status.code > 0) return status.code;
  return status.reason === undefined ? 500 : statusCodes[status.reason];
}
