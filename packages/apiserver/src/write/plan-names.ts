import type { CustomResourceDefinition, CustomResourceNames } from '@fnlet/machinery';
import type { Catalog } from '../resource/catalog.ts';

/** The names that a definition may use; those that others use already are missing. */
export type AcceptedNames = Partial<CustomResourceNames> & { plural: string; kind: string };

/** Which names a definition gets, and the first reason why not all of them. */
export interface NamesPlan {
  readonly accepted: AcceptedNames;
  readonly conflict: { readonly reason: string; readonly message: string } | undefined;
}

/** The names that a definition uses, as its status says. */
export interface TakenNames {
  /** Of the definition. */
  readonly name: string;
  readonly group: string;
  readonly names: Partial<CustomResourceNames>;
}

/**
 * Decides which of its names a definition may use: within a group every resource name and every
 * kind belongs to one definition, whoever came first (apiextensions, status/naming_controller.go).
 */
export function planNames(
  definition: CustomResourceDefinition,
  others: Iterable<TakenNames>,
  catalog: Catalog,
): NamesPlan {
  const { names } = definition.spec;
  const { resources, kinds } = takenNames(definition, others, catalog);
  const problems: { reason: string; name: string }[] = [];
  const free = (name: string, taken: ReadonlySet<string>, reason: string): boolean => {
    if (!taken.has(name)) return true;
    problems.push({ reason, name });
    return false;
  };
  const { plural, singular = names.kind.toLowerCase(), listKind = `${names.kind}List` } = names;
  const isPlural = free(plural, resources, 'PluralConflict');
  const isSingular = free(singular, resources, 'SingularConflict');
  const shortNames = (names.shortNames ?? []).filter((name) =>
    free(name, resources, 'ShortNamesConflict'),
  );
  const isKind = free(names.kind, kinds, 'KindConflict');
  const isListKind = free(listKind, kinds, 'ListKindConflict');
  const accepted = {
    plural: isPlural ? plural : '',
    ...(isSingular ? { singular } : {}),
    ...(shortNames.length === 0 ? {} : { shortNames }),
    kind: isKind ? names.kind : '',
    ...(isListKind ? { listKind } : {}),
    ...(names.categories === undefined ? {} : { categories: names.categories }),
  };
  const last = problems.at(-1);
  const conflict =
    last === undefined
      ? undefined
      : { reason: last.reason, message: `"${last.name}" is already in use` };
  return { accepted, conflict };
}

function takenNames(
  definition: CustomResourceDefinition,
  others: Iterable<TakenNames>,
  catalog: Catalog,
): { resources: ReadonlySet<string>; kinds: ReadonlySet<string> } {
  const { group } = definition.spec;
  const resources = new Set<string>();
  const kinds = new Set<string>();
  for (const other of others) {
    if (other.name === definition.metadata.name || other.group !== group) continue;
    const { plural, singular, shortNames = [], kind, listKind } = other.names;
    for (const name of [plural, singular, ...shortNames]) if (name) resources.add(name);
    for (const name of [kind, listKind]) if (name) kinds.add(name);
  }
  for (const version of catalog.versions(group)) {
    for (const { strategy } of catalog.resources(group, version)) {
      if (strategy.custom) continue;
      for (const name of [strategy.type.plural, strategy.singular, ...strategy.shortNames]) {
        resources.add(name);
      }
      kinds.add(strategy.type.kind).add(strategy.listKind);
    }
  }
  return { resources, kinds };
}
