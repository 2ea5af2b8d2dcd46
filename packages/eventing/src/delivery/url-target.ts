import { type Clock, errorMessage } from '@fnlet/base';
import type { HttpEventMessage } from '../event/http-event.ts';
import { deliveryMessage, type MessageStyle } from './delivery-message.ts';
import type { DeliveryAnswer, EventTarget } from './event-target.ts';
import { targetLimits } from './target-limits.ts';

/** The way out to URLs. */
export interface EventPort {
  /**
   * POSTs it, without following redirects, and keeps so much of the body of the answer. Rejects
   * when there is no answer.
   */
  post(message: EventPost, signal: AbortSignal): Promise<DeliveryAnswer>;
}

export interface EventPost extends HttpEventMessage {
  readonly url: string;
  readonly answerBytesMax: number;
}

export interface UrlTargetOptions extends MessageStyle {
  readonly port: EventPort;
  readonly url: string;
  /** How long one try may take. Default: 30 s. */
  readonly timeoutMs: number | undefined;
  readonly clock: Clock;
}

/** Delivers to a URL. */
export function createUrlTarget(options: UrlTargetOptions): EventTarget {
  const { port, url, clock } = options;
  const timeoutMs = options.timeoutMs ?? targetLimits.urlTimeoutMs;
  return {
    async deliver(attempt, signal): Promise<DeliveryAnswer> {
      const { headers, body } = deliveryMessage(attempt, options);
      const late = new AbortController();
      const timer = clock.after(timeoutMs, () => late.abort());
      const post = { headers, body, url, answerBytesMax: targetLimits.replyBytesMax };
      try {
        return await port.post(post, AbortSignal.any([signal, late.signal]));
      } catch (error) {
        return late.signal.aborted
          ? noAnswer(408, `There was no answer within ${timeoutMs} ms`)
          : noAnswer(0, errorMessage(error));
      } finally {
        timer.cancel();
      }
    },
  };
}

function noAnswer(status: number, trouble: string): DeliveryAnswer {
  return { status, headers: {}, body: new Uint8Array(), trouble };
}
