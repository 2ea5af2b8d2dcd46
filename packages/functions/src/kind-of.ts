import type { ResourceType } from '@fnlet/machinery';
import { type Kind, kind, type ObjectShape } from '@fnlet/sdk/operator';

/** A kind in the words of a controller, from the words of a client. */
export function kindOf<T extends ObjectShape>(type: ResourceType): Kind<T> {
  const { group, version, plural } = type;
  return kind<T>({ group, version, kind: type.kind, plural, scope: 'Namespaced' });
}
