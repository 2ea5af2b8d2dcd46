import type { ResourceType } from '@fnlet/machinery';
import type { KindFacts } from '@fnlet/sdk/operator';

/** How a kind of an operator is addressed. */
export function resourceTypeOf(kind: KindFacts): ResourceType {
  const { group, version, plural, scope } = kind;
  return { group, version, kind: kind.kind, plural, namespaced: scope === 'Namespaced' };
}

/** One text per kind, whatever its version: `Deployment.apps`. */
export function kindName({ group, kind }: Pick<KindFacts, 'group' | 'kind'>): string {
  return group === '' ? kind : `${kind}.${group}`;
}
