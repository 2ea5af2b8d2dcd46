/**
 * The words with which the fields of a kind are described, once: TypeScript reads the type of its
 * objects from them, the API server the schema (validation, defaults, `kubectl explain`).
 *
 * A field must be given unless it says `optional: true` or has a `default`.
 */

/** A part of an OpenAPI v3 schema as a CustomResourceDefinition holds it. */
export type SchemaDocument = Readonly<Record<string, unknown>>;

/** Whether a field is there: always and by the user, perhaps, or always by its default. */
export type Presence = 'required' | 'optional' | 'defaulted';

/** The description of one field. `T` and `P` live in the type only. */
export interface Field<T = unknown, P extends Presence = Presence> {
  readonly presence: P;
  readonly schema: SchemaDocument;
  /** Never there: it carries the type. */
  readonly value?: T;
}

/** The fields of an object by name. */
export type Fields = Readonly<Record<string, Field>>;

type Simplify<T> = { [K in keyof T]: T[K] };
type NamesOf<F extends Fields, P extends Presence> = {
  [K in keyof F]: F[K] extends Field<unknown, P> ? K : never;
}[keyof F];

/** The values that a field may have. */
export type ValueOf<F> = F extends Field<infer T> ? T : never;

/** The object that these fields describe, as the API gives it: defaults are filled in. */
export type ObjectOfFields<F extends Fields> = Simplify<
  { readonly [K in NamesOf<F, 'required' | 'defaulted'>]: ValueOf<F[K]> } & {
    readonly [K in NamesOf<F, 'optional'>]?: ValueOf<F[K]>;
  }
>;

/** What the API server checks besides the type: an expression in CEL and what to say. */
export interface FieldRule {
  /** CEL over `self` (and `oldSelf`, for a rule about changes). */
  readonly rule: string;
  readonly message: string;
}

interface FieldOptions<T> {
  /** May be left out. */
  readonly optional?: boolean;
  /** Filled in when left out. */
  readonly default?: T;
  readonly rules?: readonly FieldRule[];
}

interface TextOptions extends FieldOptions<string> {
  readonly minLength?: number;
  readonly maxLength?: number;
  /** A regular expression (RE2) that must match somewhere: anchor it. */
  readonly pattern?: string;
  /** `date-time`, `duration`, `uri`, … as Kubernetes knows them. */
  readonly format?: string;
}

interface NumberOptions extends FieldOptions<number> {
  readonly minimum?: number;
  readonly maximum?: number;
}

interface ListOptions<Item> extends FieldOptions<readonly Item[]> {
  readonly minItems?: number;
  readonly maxItems?: number;
}

interface MapOptions<Item> extends FieldOptions<Readonly<Record<string, Item>>> {
  readonly maxProperties?: number;
}

type PresenceOf<O> = O extends { readonly optional: true }
  ? 'optional'
  : O extends { readonly default: unknown }
    ? 'defaulted'
    : 'required';

/**
 * @example
 * const spec = {
 *   domain: field.text('Where the site is reached.'),
 *   replicas: field.integer('How many serve it.', { default: 1, minimum: 0 }),
 *   tier: field.choice('What it may cost.', ['small', 'large'], { optional: true }),
 * };
 */
export const field: FieldWords = {
  text: (description, options) => describe({ type: 'string' }, description, options),
  integer: (description, options) =>
    describe({ type: 'integer', format: 'int64' }, description, options),
  number: (description, options) => describe({ type: 'number' }, description, options),
  boolean: (description, options) => describe({ type: 'boolean' }, description, options),
  choice: (description, values, options) =>
    describe({ type: 'string', enum: values }, description, options),
  numberOrText: (description, options) =>
    describe({ 'x-kubernetes-int-or-string': true }, description, options),
  list: (description, item, options) =>
    describe({ type: 'array', items: item.schema }, description, options),
  listByKey: (description, keys, item, options) =>
    describe(
      {
        type: 'array',
        items: item.schema,
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': keys,
      },
      description,
      options,
    ),
  map: (description, item, options) =>
    describe({ type: 'object', additionalProperties: item.schema }, description, options),
  object: (description, fields, options) => describe(objectSchema(fields), description, options),
  anything: (description, options) =>
    describe({ 'x-kubernetes-preserve-unknown-fields': true }, description, options),
};

/** How fields are described. The description is what `kubectl explain` prints. */
export interface FieldWords {
  text<const O extends TextOptions>(description: string, options?: O): Field<string, PresenceOf<O>>;
  integer<const O extends NumberOptions>(
    description: string,
    options?: O,
  ): Field<number, PresenceOf<O>>;
  number<const O extends NumberOptions>(
    description: string,
    options?: O,
  ): Field<number, PresenceOf<O>>;
  boolean<const O extends FieldOptions<boolean>>(
    description: string,
    options?: O,
  ): Field<boolean, PresenceOf<O>>;
  /** One of these texts. */
  choice<const V extends string, const O extends FieldOptions<V>>(
    description: string,
    values: readonly V[],
    options?: O,
  ): Field<V, PresenceOf<O>>;
  /** Such as a port or a percentage. */
  numberOrText<const O extends FieldOptions<number | string>>(
    description: string,
    options?: O,
  ): Field<number | string, PresenceOf<O>>;
  /** Replaced as a whole by whoever writes it. */
  list<T, const O extends ListOptions<T>>(
    description: string,
    item: Field<T>,
    options?: O,
  ): Field<readonly T[], PresenceOf<O>>;
  /** A list of objects that are told apart by these of their fields: each may have its own owner. */
  listByKey<T, const O extends ListOptions<T>>(
    description: string,
    keys: readonly (keyof T & string)[],
    item: Field<T>,
    options?: O,
  ): Field<readonly T[], PresenceOf<O>>;
  /** Any keys, values of one kind. */
  map<T, const O extends MapOptions<T>>(
    description: string,
    item: Field<T>,
    options?: O,
  ): Field<Readonly<Record<string, T>>, PresenceOf<O>>;
  object<F extends Fields, const O extends FieldOptions<PartOfFields<F>>>(
    description: string,
    fields: F,
    options?: O,
  ): Field<ObjectOfFields<F>, PresenceOf<O>>;
  /** Any JSON, neither checked nor pruned. */
  anything<const O extends FieldOptions<unknown>>(
    description: string,
    options?: O,
  ): Field<unknown, PresenceOf<O>>;
}

// A default may leave to the fields' own defaults what they fill in.
type PartOfFields<F extends Fields> = { readonly [K in keyof F]?: ValueOf<F[K]> };

/** The schema of an object with these fields. */
export function objectSchema(
  fields: Fields,
): SchemaDocument & { readonly properties: SchemaDocument } {
  const entries = Object.entries(fields);
  const required = entries
    .filter(([, { presence }]) => presence === 'required')
    .map(([name]) => name);
  return {
    type: 'object',
    ...(required.length === 0 ? {} : { required }),
    properties: Object.fromEntries(entries.map(([name, { schema }]) => [name, schema])),
  };
}

// The type says what the options mean for the field's presence; the values follow it here.
function describe<T, O>(
  schema: SchemaDocument,
  description: string,
  options: O | undefined,
): Field<T, PresenceOf<O>>;
function describe(
  schema: SchemaDocument,
  description: string,
  options: FieldOptions<unknown> = {},
): Field {
  const { optional = false, rules, ...bounds } = options;
  const presence = optional ? 'optional' : bounds.default === undefined ? 'required' : 'defaulted';
  return {
    presence,
    schema: {
      ...schema,
      description,
      ...bounds,
      ...(rules === undefined ? {} : { 'x-kubernetes-validations': rules }),
    },
  };
}
