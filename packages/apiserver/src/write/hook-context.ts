import type { ApiContext } from '../api-context.ts';
import { readObject, storedObjects } from '../object/objects.ts';
import type { Resource } from '../resource/resource.ts';
import type { Asker, HookContext } from '../resource/strategy.ts';

/** What the hooks of a resource may ask for, as of now. */
export function createHookContext(
  context: ApiContext,
  resource: Resource,
  asker: Asker | undefined,
): HookContext {
  return {
    now: context.clock.now(),
    random: context.random,
    user: asker?.user,
    serviceNumbers: context.serviceNumbers,
    siblings: () => storedObjects(context, resource),
    others: (group, plural) => {
      const other = context.catalog.findStored(group, plural);
      return other === undefined ? [] : storedObjects(context, other);
    },
    find: (group, plural, key) => {
      const other = context.catalog.findStored(group, plural);
      return other === undefined ? undefined : readObject(context, other, key)?.object;
    },
  };
}
