import { errorMessage, sleep } from '@fnlet/base';
import type { KubeObject } from '@fnlet/machinery';
import { hasReason } from '../answer/status-texts.ts';
import type { ApiContext } from '../api-context.ts';
import { eventSweepIntervalMs, eventTtlMs } from '../limits.ts';
import { inTurns } from '../object/in-turns.ts';
import { objectField } from '../object/object-form.ts';
import { storedObjects } from '../object/objects.ts';
import { deleteObject } from '../write/delete.ts';

/** Deletes Events whose time is up, until `signal` aborts. */
export async function sweepEvents(context: ApiContext, signal: AbortSignal): Promise<void> {
  const { clock, catalog, logger } = context;
  while (await sleep(clock, eventSweepIntervalMs, signal)) {
    const resource = catalog.find('', 'v1', 'events');
    if (resource === undefined) continue;
    try {
      for await (const event of inTurns(storedObjects(context, resource))) {
        if (!isExpired(event, clock.now())) continue;
        const { namespace = '', name, uid } = event.metadata;
        const { resourceVersion } = event.metadata;
        const key = { namespace, name };
        await deleteObject(context, resource, { key, uid, resourceVersion });
      }
    } catch (error) {
      // An Event that was written or deleted meanwhile is looked at again next time.
      const isRace = hasReason(error, 'NotFound') || hasReason(error, 'Conflict');
      if (!isRace && !signal.aborted) logger.warn(`Cannot sweep Events: ${errorMessage(error)}`);
    }
  }
}

/** Whether an Event was last seen longer ago than it is kept. */
export function isExpired(event: KubeObject, now: number): boolean {
  const { lastObservedTime } = objectField(event, 'series');
  const { creationTimestamp } = event.metadata;
  const times = [creationTimestamp, event.lastTimestamp, event.eventTime, lastObservedTime];
  const seen = times.map((time) => (typeof time === 'string' ? Date.parse(time) : 0));
  return Math.max(...seen.filter((time) => !Number.isNaN(time))) + eventTtlMs <= now;
}
