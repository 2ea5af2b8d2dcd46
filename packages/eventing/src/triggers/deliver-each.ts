import type { EventTarget } from '../delivery/event-target.ts';
import { idempotencyKey } from '../delivery/idempotency-key.ts';
import type { CloudEvent } from '../event/cloud-event.ts';
import { LettersError } from './letters-error.ts';
import { triggerLimits } from './limits.ts';

/**
 * Hands events to a target, one after the other.
 *
 * @throws LettersError `NotTaken`
 */
export async function deliverEach(
  target: EventTarget,
  { owner, events }: { readonly owner: string; readonly events: readonly CloudEvent[] },
  signal: AbortSignal,
): Promise<void> {
  for (const event of events) {
    const key = idempotencyKey(owner, [event]);
    const attempt = { events: [event], attempt: 1, idempotencyKey: key };
    const { status, trouble, body } = await target.deliver(attempt, signal);
    if (status >= 200 && status < 300) continue;
    const { id, source } = event.attributes;
    const said = trouble ?? Buffer.from(body.subarray(0, triggerLimits.saidBytesMax)).toString();
    const more = said === '' ? '' : `; ${said}`;
    throw new LettersError(
      'NotTaken',
      `Cannot replay event "${id}" of ${source}: found the answer ${status}, expected 2xx${more}`,
    );
  }
}
