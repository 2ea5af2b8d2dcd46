import { formatApiVersion, type JsonSchema } from '@fnlet/machinery';
import { ageColumn, type Column, nameColumn } from '../answer/column.ts';
import type { StrategicType } from '../patch/strategic-merge.ts';
import type { Strategy } from '../resource/strategy.ts';
import { messageName } from './facts/builtin-facts.ts';
import { type BuiltinKindFacts, builtinKinds } from './facts/builtin-kinds.ts';
import { builtinScale } from './facts/builtin-scale.ts';
import { builtinTypes } from './facts/builtin-schema.ts';

/**
 * A builtin kind. Its structure, names and subresources are facts (`facts/`); here stand its rules,
 * and what differs from the facts.
 */
export interface BuiltinKind
  extends Partial<Omit<Strategy, 'type' | 'custom' | 'schema' | 'mergeType'>> {
  /** Default: the core group. */
  readonly group?: string;
  /** Default: `v1`. */
  readonly version?: string;
  readonly kind: string;
  readonly plural: string;
  /** Default: what the facts say. */
  readonly namespaced?: boolean;
  /** Default: none. */
  readonly description?: string;
  /**
   * Descriptions, defaults and rules of the fields besides apiVersion, kind and metadata; what is
   * not here has none. Default: none.
   */
  readonly fields?: Readonly<Record<string, JsonSchema>>;
}

const defaultColumns: readonly Column[] = [nameColumn, ageColumn];

/** A builtin kind as a strategy. */
export function builtinStrategy(given: BuiltinKind): Strategy {
  const { group = '', version = 'v1', kind, plural, description, fields = {}, ...rules } = given;
  const facts = findFacts(group, version, kind);
  const { namespaced = facts.namespaced ?? true, message: known, ...own } = rules;
  const message = known ?? messageName({ group, version, kind });
  const isScaled = facts.subresources?.includes('scale') === true;
  return {
    singular: kind.toLowerCase(),
    listKind: `${kind}List`,
    shortNames: facts.shortNames ?? [],
    categories: facts.categories ?? [],
    stored: { apiVersion: formatApiVersion({ group, version }), group, plural },
    nameRule: 'dns1123Subdomain',
    hasStatus: facts.subresources?.includes('status') === true,
    hasGeneration: facts.hasGeneration === true,
    unconditionalUpdate: facts.conditionalUpdate !== true,
    columns: defaultColumns,
    selectableFields: {},
    ...(isScaled ? { scale: builtinScale } : {}),
    ...(facts.verbs === undefined ? {} : { withoutVerbs: unserved(facts.verbs) }),
    ...own,
    type: { group, version, kind, plural, namespaced },
    custom: false,
    message,
    schema: {
      type: 'object',
      ...(description === undefined ? {} : { description }),
      properties: fields,
    },
    // Read when the first patch comes: a start does not pay for it.
    get mergeType(): StrategicType {
      return builtinTypes.strategicType(message);
    },
  };
}

function findFacts(group: string, version: string, kind: string): Partial<BuiltinKindFacts> {
  const isKind = (row: BuiltinKindFacts): boolean =>
    row.group === group && row.version === version && row.kind === kind;
  return builtinKinds.find(isKind) ?? {};
}

const allVerbs = [
  'create',
  'delete',
  'deletecollection',
  'get',
  'list',
  'patch',
  'update',
  'watch',
];

function unserved(verbs: readonly string[]): readonly string[] {
  return allVerbs.filter((verb) => !verbs.includes(verb));
}
