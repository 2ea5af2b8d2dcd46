import type { Cache } from '@fnlet/client';
import { type KubeObject, objectKey } from '@fnlet/machinery';
import { overruledRetryMs } from '../limits.ts';
import type { Source } from '../source/source.ts';
import type { StatusKeeper } from './status-keeper.ts';

/**
 * Statuses that others have changed, which is no change of what is asked for: by hand, or a former
 * owner of the key, whose last write came after this one had looked.
 */
export function overruledStatuses(
  primaries: Cache<KubeObject>,
  status: Pick<StatusKeeper, 'isOverruled'>,
): Source {
  return {
    synced: primaries.synced,
    start: (enqueue) =>
      primaries.subscribe((event) => {
        if (event.kind !== 'updated') return;
        const { old, object } = event;
        const isSame = old.metadata.generation === object.metadata.generation;
        if (!isSame || !status.isOverruled(object)) return;
        enqueue(objectKey(object), { afterMs: overruledRetryMs });
      }),
  };
}
