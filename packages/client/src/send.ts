import { type Clock, sleep } from '@fnlet/base';
import type { StatusError } from '@fnlet/machinery';
import { readFailure } from './failed-answer.ts';
import { limits } from './limits.ts';
import type { Transport, TransportRequest, TransportResponse } from './transport.ts';
import { TransportError } from './transport-error.ts';

/** What it takes to send. */
export interface Requester {
  readonly transport: Transport;
  readonly clock: Clock;
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
  for (let tries = 1; ; tries++) {
    const response = await requester.transport.request(request);
    if (response.status >= 200 && response.status < 300) return response;
    const error = await readFailure(response);
    const waitMs = retryAfterMs(error);
    if (waitMs === undefined || tries >= limits.triesMax) throw error;
    if (!(await sleep(requester.clock, waitMs, request.signal))) {
      throw new TransportError(
        'Aborted',
        `Cannot ${request.method} "${request.path}": aborted while the server asked to wait`,
        { cause: error },
      );
    }
  }
}

function retryAfterMs(error: StatusError): number | undefined {
  const { code } = error.status;
  if ((code !== 429 && code !== 503) || typeof error.retry === 'string') return undefined;
  return error.retry.afterMs <= limits.retryAfterMaxMs ? error.retry.afterMs : undefined;
}
