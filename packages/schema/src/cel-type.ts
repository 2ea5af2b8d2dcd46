import type { CelValue } from './cel-value.ts';

/** The static type of a CEL expression. */
export type CelType =
  | { readonly kind: SimpleKind }
  | { readonly kind: 'list'; readonly element: CelType }
  | { readonly kind: 'map'; readonly key: CelType; readonly value: CelType }
  | { readonly kind: 'optional'; readonly value: CelType }
  /** A type parameter of a function, such as T in list<T>. */
  | { readonly kind: 'parameter'; readonly name: string }
  | CelObjectType
  | CelStructType;

export type SimpleKind = (typeof simpleKinds)[number];

const simpleKinds = [
  'dyn',
  'bool',
  'int',
  'uint',
  'double',
  'string',
  'bytes',
  'null',
  'timestamp',
  'duration',
  'type',
  'url',
  'quantity',
  'ip',
  'cidr',
  'semver',
  'format',
  'authorizer',
  'pathCheck',
  'groupCheck',
  'resourceCheck',
  'decision',
] as const;

/** Types whose names in errors are those of messages. */
const messageNames: ReadonlyMap<string, string> = new Map([
  ['authorizer', 'kubernetes.authorization.Authorizer'],
  ['pathCheck', 'kubernetes.authorization.PathCheck'],
  ['groupCheck', 'kubernetes.authorization.GroupCheck'],
  ['resourceCheck', 'kubernetes.authorization.ResourceCheck'],
  ['decision', 'kubernetes.authorization.Decision'],
]);

/** Whether it is a type of messages that have no fields. */
export function isMessage({ kind }: CelType): boolean {
  return messageNames.has(kind);
}

/** An object whose fields are known; CEL names are escaped where a name is no identifier. */
export interface CelObjectType {
  readonly kind: 'object';
  readonly fields: ReadonlyMap<string, { readonly name: string; readonly type: CelType }>;
}

/** A type that has a name, and whose values an expression may construct. */
export interface CelStructType {
  readonly kind: 'struct';
  readonly name: string;
  /** Absent: any name is that of a field, of which nothing is known. */
  readonly fields?: ReadonlyMap<string, CelType>;
}

export const dynType: CelType = { kind: 'dyn' };
export const boolType: CelType = { kind: 'bool' };

/** Reads a type as signatures write it: `int`, `list<T>`, `map<string, dyn>`. */
export function parseCelType(text: string): CelType {
  const generic = /^(list|map|optional)<(.*)>$/.exec(text);
  if (generic === null) {
    const kind = simpleKinds.find((simple) => simple === text);
    return kind === undefined ? { kind: 'parameter', name: text } : { kind };
  }
  const [first = 'dyn', second = 'dyn'] = splitTypes(generic[2] ?? '');
  switch (generic[1]) {
    case 'list':
      return { kind: 'list', element: parseCelType(first) };
    case 'map':
      return { kind: 'map', key: parseCelType(first), value: parseCelType(second) };
    default:
      return { kind: 'optional', value: parseCelType(first) };
  }
}

/** Splits `A, map<B, C>` at the commas that are not inside angle brackets. */
export function splitTypes(text: string): readonly string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let i = 0; i < text.length; i += 1) {
    const char = text.charAt(i);
    if (char === '<') depth += 1;
    else if (char === '>') depth -= 1;
    else if (char === ',' && depth === 0) {
      parts.push(text.slice(start, i).trim());
      start = i + 1;
    }
  }
  const last = text.slice(start).trim();
  return last === '' ? parts : [...parts, last];
}

/** The type as cel-go prints it in errors. */
export function formatCelType(type: CelType): string {
  switch (type.kind) {
    case 'list':
      return `list(${formatCelType(type.element)})`;
    case 'map':
      return `map(${formatCelType(type.key)}, ${formatCelType(type.value)})`;
    case 'optional':
      return `optional_type(${formatCelType(type.value)})`;
    case 'parameter':
    case 'struct':
      return type.name;
    default:
      return messageNames.get(type.kind) ?? type.kind;
  }
}

/** What the type parameters of a signature stand for in one call. */
export type TypeBindings = Map<string, CelType>;

const nullable: ReadonlySet<string> = new Set([
  'object',
  'struct',
  'timestamp',
  'duration',
  'optional',
  'null',
]);

/** Whether an argument of type `actual` may be passed for `expected`; binds type parameters. */
export function isAssignable(expected: CelType, actual: CelType, bindings: TypeBindings): boolean {
  if (expected.kind === 'parameter') {
    const bound = bindings.get(expected.name);
    if (bound === undefined || bound.kind === 'dyn' || bound.kind === 'null') {
      bindings.set(expected.name, actual);
      return true;
    }
    // Anything may be compared with null, for which a field that is nullable is asked.
    if (actual.kind === 'null') return true;
    return isAssignable(bound, actual, bindings) || isAssignable(actual, bound, bindings);
  }
  if (expected.kind === 'dyn' || actual.kind === 'dyn' || actual.kind === 'parameter') return true;
  if (actual.kind === 'null') return nullable.has(expected.kind);
  if (expected.kind === 'list' && actual.kind === 'list') {
    return isAssignable(expected.element, actual.element, bindings);
  }
  if (expected.kind === 'map' && actual.kind === 'map') {
    const keys = isAssignable(expected.key, actual.key, bindings);
    return keys && isAssignable(expected.value, actual.value, bindings);
  }
  if (expected.kind === 'optional' && actual.kind === 'optional') {
    return isAssignable(expected.value, actual.value, bindings);
  }
  if (expected.kind === 'struct' && actual.kind === 'struct') return expected.name === actual.name;
  return expected.kind === actual.kind;
}

/** The type with its parameters replaced; one that nothing was bound to is dyn. */
export function substitute(type: CelType, bindings: TypeBindings): CelType {
  switch (type.kind) {
    case 'parameter':
      return bindings.get(type.name) ?? dynType;
    case 'list':
      return { kind: 'list', element: substitute(type.element, bindings) };
    case 'map':
      return {
        kind: 'map',
        key: substitute(type.key, bindings),
        value: substitute(type.value, bindings),
      };
    case 'optional':
      return { kind: 'optional', value: substitute(type.value, bindings) };
    default:
      return type;
  }
}

/** Whether nothing about the type is left to run time. */
export function isKnown(type: CelType): boolean {
  return type.kind !== 'dyn' && type.kind !== 'parameter';
}

/** Whether a value is of a type, as far as its outside shows. */
export function isOfType(value: CelValue, type: CelType): boolean {
  switch (type.kind) {
    case 'dyn':
    case 'parameter':
      return true;
    case 'bool':
      return typeof value === 'boolean';
    case 'int':
      return typeof value === 'bigint';
    case 'double':
      return typeof value === 'number';
    case 'string':
      return typeof value === 'string';
    case 'null':
      return value === null;
    case 'bytes':
      return value instanceof Uint8Array;
    case 'list': {
      const isList = typeof value === 'object' && value !== null && 'kind' in value;
      if (!isList || value.kind !== 'list') return false;
      return value.size === 0 || isOfType(value.at(0), type.element);
    }
    default: {
      const kind = type.kind === 'object' ? 'map' : type.kind;
      return typeof value === 'object' && value !== null && 'kind' in value && value.kind === kind;
    }
  }
}
