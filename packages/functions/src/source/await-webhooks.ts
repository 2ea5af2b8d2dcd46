import type { FunctionObject } from '@fnlet/api';
import type { Cache } from '@fnlet/client';

/** Calls `found` once, when the first Function is there whose repository tells about pushes. */
export function awaitWebhooks(
  functions: Pick<Cache<FunctionObject>, 'list' | 'subscribe'>,
  found: () => void,
): void {
  const takesWebhooks = ({ spec }: FunctionObject): boolean =>
    spec.source.git?.webhook !== undefined;
  if (functions.list().some(takesWebhooks)) {
    found();
    return;
  }
  const unsubscribe = functions.subscribe((event) => {
    if (event.kind === 'deleted' || !takesWebhooks(event.object)) return;
    unsubscribe();
    found();
  });
}
