import type { KubeObject, ResourceType } from '@fnlet/machinery';
import type { Store } from '@fnlet/store';
import { isKubeObject } from './object-form.ts';
import { objectsPrefix, parseStoreKey } from './object-keys.ts';

/** What is waited for. */
export interface FirstObject {
  readonly types: readonly Pick<ResourceType, 'group' | 'plural'>[];
  /** Which of them count. */
  matches(object: KubeObject): boolean;
  /** Called once: at once when such an object is there, else in the turn in which one comes. */
  found(): void;
}

/**
 * Waits for the first object of a few kinds, at the price of one look at each change: who works for
 * objects that are mostly not there need not be there either.
 *
 * @returns the function that ends the wait
 */
export function awaitFirstObject(store: Store, { types, matches, found }: FirstObject): () => void {
  const prefixes = types.map(
    ({ group, plural }) => `${objectsPrefix}${group === '' ? 'core' : group}/${plural}/`,
  );
  const counts = (value: unknown): boolean => isKubeObject(value) && matches(value);
  for (const prefix of prefixes) {
    for (const { value } of store.scan(prefix)) {
      if (!counts(value)) continue;
      found();
      return () => {};
    }
  }
  const known = new Set(types.map(({ group, plural }) => `${group}/${plural}`));
  const stop = store.subscribe(objectsPrefix, {
    changed(change) {
      const { group, plural } = parseStoreKey(change.key);
      if (!known.has(`${group}/${plural}`) || !counts(change.value)) return;
      stop();
      found();
    },
    ended() {},
  });
  return stop;
}
