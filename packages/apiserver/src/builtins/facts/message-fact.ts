import { isJsonObject } from '@fnlet/base';

// The vocabulary of the facts: what a Go type of Kubernetes looks like in JSON and in protobuf.

/** Types that are messages in protobuf, structs in Go, and something else in JSON. */
export const specialNames = [
  'Time',
  'MicroTime',
  'Duration',
  'Quantity',
  'IntOrString',
  'RawExtension',
  'FieldsV1',
  'JSON',
  'JSONSchemaPropsOrArray',
  'JSONSchemaPropsOrBool',
  'JSONSchemaPropsOrStringArray',
] as const;

const plainNames = ['string', 'bool', 'int32', 'int64', 'float64', 'bytes'] as const;

/** A type without fields of its own; the capitalised ones are structs in Go and not in JSON. */
export type ScalarName = (typeof plainNames | typeof specialNames)[number];

const scalarNames: readonly ScalarName[] = [...plainNames, ...specialNames];

export type TypeFact =
  | { readonly kind: 'scalar'; readonly scalar: ScalarName }
  | { readonly kind: 'message'; readonly message: string }
  | { readonly kind: 'list'; readonly item: TypeFact }
  | { readonly kind: 'map'; readonly item: TypeFact };

/** A field of a Go struct. */
export interface FieldFact {
  /** The name in JSON; that of the type, in parentheses, for an inlined struct. */
  readonly name: string;
  /** The number in protobuf. */
  readonly number: number;
  readonly type: TypeFact;
  /** A pointer tells a zero value from none. */
  readonly pointer: boolean;
  /** Whether zero values other than structs are left out of JSON. */
  readonly omitEmpty: boolean;
  /** Whether a zero struct is left out of JSON too. */
  readonly omitZero: boolean;
  /** A struct whose fields are, in JSON, fields of the struct around it. */
  readonly inline: boolean;
  /** Whether OpenAPI calls it required. */
  readonly required: boolean;
  readonly list?: { readonly type: 'atomic' | 'set' | 'map'; readonly keys: readonly string[] };
  /** Whether it is owned as a whole or field by field; absent: as its type says. */
  readonly ownership?: 'atomic' | 'granular';
  /** How strategic merge patches treat it. */
  readonly patch?: { readonly strategy: readonly string[]; readonly mergeKey?: string };
  /** The value of a missing field. */
  readonly default?: unknown;
  readonly enum?: readonly string[];
}

/** A Go struct, or a list that protobuf wraps in a message of its own. */
export interface MessageFact {
  /** Package, version and type, such as `core.v1.PodSpec`. */
  readonly name: string;
  /** Whether it has apiVersion and kind. */
  readonly isKind: boolean;
  readonly isAtomic: boolean;
  /** A named list: in protobuf a message with the one field `items`, in JSON the list itself. */
  readonly isList: boolean;
  /** By name in JSON; the fields of inlined structs are among them. */
  readonly fields: ReadonlyMap<string, FieldFact>;
  /** By number in protobuf; an inlined struct is one field. */
  readonly wireFields: ReadonlyMap<number, FieldFact>;
}

/** A struct as the facts write it: JSON name -> text; the empty name says what the whole is. */
export type MessageText = Readonly<Record<string, string>>;

/** Whether a value is the content of the facts file. */
export function isMessageTexts(value: unknown): value is Readonly<Record<string, MessageText>> {
  if (!isJsonObject(value)) return false;
  return Object.values(value).every(
    (message) =>
      isJsonObject(message) && Object.values(message).every((text) => typeof text === 'string'),
  );
}

/**
 * Parses a message; `find` gives the messages that are inlined in it.
 *
 * @throws Error for a text that does not keep to the grammar: the facts are broken.
 */
export function parseMessage(
  name: string,
  text: MessageText,
  find: (name: string) => MessageFact,
): MessageFact {
  const words = (text[''] ?? '').split(' ');
  const own = Object.entries(text)
    .filter(([field]) => field !== '')
    .map(([field, facts]) => parseField(field, facts));
  const fields = own.flatMap((field) =>
    field.inline && field.type.kind === 'message'
      ? [...find(field.type.message).fields.values()]
      : [field],
  );
  return {
    name,
    isKind: words.includes('kind'),
    isAtomic: words.includes('atomic'),
    isList: words.includes('list'),
    fields: new Map(fields.map((field) => [field.name, field])),
    wireFields: new Map(own.map((field) => [field.number, field])),
  };
}

// `2 []core.v1.Container omitempty list=map:name patch=merge:name`; the enum may have spaces.
function parseField(name: string, text: string): FieldFact {
  const [facts = '', enumText] = text.split(' enum=');
  const [number = '', written = '', ...words] = facts.split(' ');
  const pointer = written.startsWith('*');
  const omitEmpty = words.includes('omitempty');
  const value = (key: string): string | undefined =>
    words.find((word) => word.startsWith(`${key}=`))?.slice(key.length + 1);
  const [list, patch, byDefault] = [value('list'), value('patch'), value('default')];
  return {
    name,
    number: Number(number),
    type: parseType(pointer ? written.slice(1) : written),
    pointer,
    omitEmpty,
    omitZero: words.includes('omitzero'),
    inline: name.startsWith('('),
    required: words.includes('required') || !(omitEmpty || words.includes('optional')),
    ...(words.includes('atomic') ? { ownership: 'atomic' } : {}),
    ...(words.includes('granular') ? { ownership: 'granular' } : {}),
    ...(list === undefined ? {} : { list: parseList(list) }),
    ...(patch === undefined ? {} : { patch: parsePatch(patch) }),
    ...(byDefault === undefined ? {} : { default: JSON.parse(byDefault) }),
    ...(enumText === undefined ? {} : { enum: enumText.split('|') }),
  };
}

function parseType(text: string): TypeFact {
  if (text.startsWith('[]')) return { kind: 'list', item: parseType(text.slice(2)) };
  const map = 'map[string]';
  if (text.startsWith(map)) return { kind: 'map', item: parseType(text.slice(map.length)) };
  const scalar = scalarNames.find((name) => name === text);
  return scalar === undefined ? { kind: 'message', message: text } : { kind: 'scalar', scalar };
}

function parseList(text: string): NonNullable<FieldFact['list']> {
  const [type, keys] = text.split(':');
  if (type !== 'atomic' && type !== 'set' && type !== 'map') {
    throw new Error(`Broken facts: list type "${text}"`);
  }
  return { type, keys: keys?.split(',') ?? [] };
}

function parsePatch(text: string): NonNullable<FieldFact['patch']> {
  const [strategy = '', mergeKey] = text.split(':');
  return { strategy: strategy.split(','), ...(mergeKey === undefined ? {} : { mergeKey }) };
}
