import type { DefinitionManifest } from './define-kind.ts';
import { type Kind, viewOf } from './kind.ts';
import type { Operator } from './operator.ts';

/** The manifests of the kinds of one's own that these operators are for, own or watch, each once. */
export function requiredDefinitions(operators: readonly Operator[]): DefinitionManifest[] {
  const kinds = operators.flatMap(({ for: own, owns = [], watches = [] }) => [
    own,
    ...owns.map((owned) => viewOf(owned).kind),
    ...watches.map(({ view }) => view.kind),
  ]);
  const manifests = kinds.filter((kind) => isDefined(kind)).map(({ crd }) => crd);
  return [...new Map(manifests.map((crd) => [crd.metadata.name, crd])).values()];
}

function isDefined(kind: Kind): kind is Kind & { readonly crd: DefinitionManifest } {
  return 'crd' in kind;
}
