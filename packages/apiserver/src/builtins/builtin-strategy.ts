import { formatApiVersion, type JsonSchema } from '@fnlet/machinery';
import { ageColumn, type Column, nameColumn } from '../column.ts';
import { strategicType } from '../patch-annotations.ts';
import type { Strategy } from '../strategy.ts';

/** The facts of a builtin kind; what is left out has the value that most kinds have. */
export interface BuiltinKind
  extends Partial<Omit<Strategy, 'type' | 'custom' | 'schema' | 'mergeType'>> {
  /** Default: the core group. */
  readonly group?: string;
  /** Default: `v1`. */
  readonly version?: string;
  readonly kind: string;
  readonly plural: string;
  /** Default: true. */
  readonly namespaced?: boolean;
  readonly description: string;
  /** The fields besides apiVersion, kind and metadata. */
  readonly fields: Readonly<Record<string, JsonSchema>>;
}

const defaultColumns: readonly Column[] = [nameColumn, ageColumn];

/** A builtin kind as a strategy. */
export function builtinStrategy(facts: BuiltinKind): Strategy {
  const { group = '', version = 'v1', kind, plural, namespaced = true } = facts;
  const { description, fields, ...rules } = facts;
  const schema: JsonSchema = { type: 'object', description, properties: fields };
  return {
    singular: kind.toLowerCase(),
    listKind: `${kind}List`,
    shortNames: [],
    categories: [],
    stored: { apiVersion: formatApiVersion({ group, version }), group, plural },
    nameRule: 'dns1123Subdomain',
    hasStatus: Object.hasOwn(fields, 'status'),
    hasGeneration: false,
    unconditionalUpdate: true,
    columns: defaultColumns,
    selectableFields: {},
    ...rules,
    type: { group, version, kind, plural, namespaced },
    custom: false,
    schema,
    mergeType: strategicType(schema),
  };
}
