import { errorMessage } from '@fnlet/base';
import type { ObjectKey } from '@fnlet/machinery';
import { webhookRetryAfterSeconds } from '../limits.ts';
import { channel } from './channel-source.ts';
import type { Source } from './source.ts';

/** A source that others call over HTTP. */
export interface WebhookSource extends Source {
  /**
   * Answers one call, from whatever server received it: 202 once its keys are noted, 503 with
   * Retry-After while there is no room for them, 400 when the call could not be read.
   */
  handle(request: Request): Promise<Response>;
}

/**
 * A source that is fed by calls from outside, such as the webhooks of a code host.
 *
 * @param keysOf whom a call concerns; it also checks who calls, and may refuse with a Response.
 *   Bodies arrive as the server bounds them.
 * @example
 * const pushes = webhook(async (request) => {
 *   if (!(await isSigned(request))) return new Response(null, { status: 401 });
 *   const { repository } = await request.json();
 *   return sites.byIndex('repository', repository).map(objectKey);
 * });
 */
export function webhook(
  keysOf: (request: Request) => Promise<Iterable<ObjectKey> | Response>,
): WebhookSource {
  const keys = channel();
  let warn = (_message: string): void => {};
  return {
    ...keys,
    start(enqueue, ports) {
      warn = (message) => ports.logger.warn(message);
      return keys.start(enqueue, ports);
    },
    async handle(request) {
      try {
        const found = await keysOf(request);
        if (found instanceof Response) return found;
        // All are tried: those that fit are noted, and the caller repeats the whole call.
        const isNoted = [...found].map((key) => keys.push(key)).every(Boolean);
        if (isNoted) return new Response(null, { status: 202 });
        const headers = { 'retry-after': String(webhookRetryAfterSeconds) };
        return new Response('Too many keys wait to be reconciled', { status: 503, headers });
      } catch (error) {
        // What failed may tell secrets: it is for our log, not for who calls.
        warn(`Cannot read a webhook call: ${errorMessage(error)}`);
        return new Response('Cannot read the call', { status: 400 });
      }
    },
  };
}
