import { sha256 } from '@fnlet/base';
import type { CloudEvent } from '../event/cloud-event.ts';

/**
 * Names the effects of delivering these events for this owner. An event is known by its source and
 * its id (CloudEvents 1.0, section 3.1), so a replay has the same key as the first delivery.
 */
export function idempotencyKey(owner: string, events: readonly CloudEvent[]): string {
  const names = events.map(({ attributes: { source, id } }) => [source, id]);
  return sha256(JSON.stringify([owner, ...names])).slice(0, 32);
}
