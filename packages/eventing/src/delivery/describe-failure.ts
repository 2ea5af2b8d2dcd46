import type { DeliveryAnswer } from './event-target.ts';
import { targetLimits } from './target-limits.ts';

/** What a failed try came to, for people: the status and the beginning of what was said. */
export function describeFailure({ status, body, trouble }: DeliveryAnswer): string {
  const said = trouble ?? Buffer.from(body.subarray(0, targetLimits.saidBytesMax)).toString();
  const answered = status === 0 ? 'No answer' : `Answered ${status}`;
  return said === '' ? answered : `${answered}: ${said}`;
}
