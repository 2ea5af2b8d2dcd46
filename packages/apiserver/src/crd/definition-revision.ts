import type { Store } from '@fnlet/store';
import { customResourceDefinitionStrategy } from '../builtins/custom-resource-definition.ts';
import { storeKey } from '../object/object-keys.ts';

/**
 * The revision at which a CustomResourceDefinition was last written, its status included, without
 * reading it; 0 when there is none of this name.
 */
export function definitionRevision(store: Store, name: string): number {
  return store.revisionOf(storeKey(customResourceDefinitionStrategy, { namespace: '', name }));
}
