import { type Clock, sleep } from '@fnlet/base';
import type { StatusError } from '@fnlet/machinery';
import { readFailure } from './failed-answer.ts';
import { limits } from './limits.ts';
import type { TokenBucket } from './token-bucket.ts';
import type { Transport, TransportRequest, TransportResponse } from './transport.ts';
import { TransportError } from './transport-error.ts';

/** What it takes to send. */
export interface Requester {
  readonly transport: Transport;
  readonly clock: Clock;
  /** Every try takes its turn. */
  readonly bucket?: TokenBucket | undefined;
}

/**
 * Sends until the answer is a success, or a failure that waiting does not help.
 *
 * @throws StatusError, TransportError
 */
export async function send(
  requester: Requester,
  request: TransportRequest,
): Promise<TransportResponse> {
  const { bucket, clock } = requester;
  for (let tries = 1; ; tries++) {
    if (bucket !== undefined && !(await bucket.take(request.signal))) {
      throw aborted(request, 'while it waited for its turn');
    }
    const response = await requester.transport.request(request);
    if (response.status >= 200 && response.status < 300) return response;
    const error = await readFailure(response, clock.now());
    const waitMs = retryAfterMs(error);
    if (waitMs === undefined || tries >= limits.triesMax) throw error;
    if (!(await sleep(clock, waitMs, request.signal))) {
      throw aborted(request, 'while the server asked to wait', error);
    }
  }
}

function aborted(
  { method, path }: TransportRequest,
  when: string,
  cause?: unknown,
): TransportError {
  return new TransportError('Aborted', `Cannot ${method} "${path}": aborted ${when}`, { cause });
}

function retryAfterMs(error: StatusError): number | undefined {
  const { code } = error.status;
  if ((code !== 429 && code !== 503) || typeof error.retry === 'string') return undefined;
  return error.retry.afterMs <= limits.retryAfterMaxMs ? error.retry.afterMs : undefined;
}
