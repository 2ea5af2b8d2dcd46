import type { OperatorSpec } from '@fnlet/api';
import type { KubeObject, ResourceType } from '@fnlet/machinery';
import { type Kind, kind } from '@fnlet/sdk/operator';

/** A kind as an Operator names it. */
export interface NamedKind {
  readonly apiVersion: string;
  readonly kind: string;
}

/** All kinds that an Operator names, each once. */
export function kindsNamed({ for: own, owns = [], watches = [] }: OperatorSpec): NamedKind[] {
  const all = [own, ...owns, ...watches].map(({ apiVersion, kind: word }) => ({
    apiVersion,
    kind: word,
  }));
  return [...new Map(all.map((named) => [kindId(named), named])).values()];
}

/** One text for a kind in one version. */
export function kindId({ apiVersion, kind: word }: NamedKind): string {
  return `${apiVersion}/${word}`;
}

/** A kind that the API serves, as operators have it. */
export interface ServedKind {
  readonly kind: Kind;
  /** Whether its objects have a status of their own. */
  readonly hasStatus: boolean;
}

/** The kind of an operator for what the API serves. */
export function kindOf({ group, version, kind: word, plural, namespaced }: ResourceType): Kind {
  const scope = namespaced ? 'Namespaced' : 'Cluster';
  return kind<KubeObject>({ group, version, kind: word, plural, scope });
}
