import { FnletError } from '@fnlet/base';

/** One of several reasons why a request was refused. */
export interface StatusCause {
  readonly reason?: string;
  readonly message?: string;
  readonly field?: string;
}

/** What a failure is about; `kind` is a plural or a kind, as the server likes. */
export interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly StatusCause[];
  readonly retryAfterSeconds?: number;
}

/** The Status object with which a Kubernetes API answers anything but success with content. */
export interface Status {
  readonly kind: 'Status';
  readonly apiVersion: 'v1';
  readonly metadata: { readonly continue?: string; readonly resourceVersion?: string };
  readonly status: 'Success' | 'Failure';
  readonly message?: string;
  readonly reason?: StatusReason;
  readonly details?: StatusDetails;
  readonly code: number;
}

/** The closed list of reasons with their HTTP status (apimachinery, meta/v1 types). */
export const statusCodes = {
  BadRequest: 400,
  Unauthorized: 401,
  Forbidden: 403,
  NotFound: 404,
  MethodNotAllowed: 405,
  NotAcceptable: 406,
  AlreadyExists: 409,
  Conflict: 409,
  Gone: 410,
  Expired: 410,
  RequestEntityTooLarge: 413,
  UnsupportedMediaType: 415,
  Invalid: 422,
  TooManyRequests: 429,
  InternalError: 500,
  NotImplemented: 501,
  ServiceUnavailable: 503,
  Timeout: 504,
} as const;

/** Why a request failed, in one word for programs. */
export type StatusReason = keyof typeof statusCodes;

/**
 * A failure that has a Status: what the API server throws and what the client turns a failed answer
 * back into. Its `code` is the Status' reason.
 */
export class StatusError extends FnletError<StatusReason> {
  override readonly name = 'StatusError';
  readonly status: Status;

  constructor(status: Status) {
    const retryAfter = status.details?.retryAfterSeconds;
    super(status.reason ?? 'InternalError', status.message ?? `HTTP status ${status.code}`, {
      retry: retryAfter === undefined ? 'never' : { afterMs: retryAfter * 1000 },
    });
    this.status = status;
  }
}

/** A failure Status with the code that belongs to its reason. */
export function failureStatus(
  reason: StatusReason,
  message: string,
  details?: StatusDetails,
): Status {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    reason,
    ...(details === undefined ? {} : { details }),
    code: statusCodes[reason],
  };
}

/** Throwable form of {@link failureStatus}. */
export function statusError(
  reason: StatusReason,
  message: string,
  details?: StatusDetails,
): StatusError {
  return new StatusError(failureStatus(reason, message, details));
}
