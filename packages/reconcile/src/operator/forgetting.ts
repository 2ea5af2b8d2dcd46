import type { Cache } from '@fnlet/client';
import type { KubeObject } from '@fnlet/machinery';
import type { Source } from '../source/source.ts';

/** A source that enqueues nothing: it has `memory` let go of objects that are gone. */
export function forgetting(
  primaries: Cache<KubeObject>,
  memory: { forget(uid: string): void },
): Source {
  return {
    synced: primaries.synced,
    start: () =>
      primaries.subscribe((event) => {
        if (event.kind === 'deleted') memory.forget(event.object.metadata.uid ?? '');
      }),
  };
}
