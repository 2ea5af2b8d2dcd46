import type { FieldType } from '@fnlet/machinery';
import type { BuiltinFacts } from './builtin-facts.ts';
import type { FieldFact, ScalarName, TypeFact } from './message-fact.ts';

const scalar: FieldType = { kind: 'scalar' };
const deduced: FieldType = { kind: 'deduced' };
/** Anything at all, replaced as a whole. */
const untyped: FieldType = { kind: 'map', relationship: 'atomic', fields: {}, element: deduced };
const scalarTypes: Readonly<Partial<Record<ScalarName, FieldType>>> = {
  string: { kind: 'scalar', of: 'string' },
  bytes: { kind: 'scalar', of: 'string' },
  Time: { kind: 'scalar', of: 'string' },
  MicroTime: { kind: 'scalar', of: 'string' },
  Duration: { kind: 'scalar', of: 'string' },
  bool: { kind: 'scalar', of: 'boolean' },
  int32: { kind: 'scalar', of: 'numeric' },
  int64: { kind: 'scalar', of: 'numeric' },
  float64: { kind: 'scalar', of: 'numeric' },
  RawExtension: untyped,
  FieldsV1: untyped,
};

/**
 * How objects of builtin types are merged and owned by server-side apply (KEP-555).
 *
 * I1. Types that refer to each other, or to themselves, are looked up when they are walked.
 */
export class MessageFieldTypes {
  readonly #facts: BuiltinFacts;
  readonly #known = new Map<string, FieldType>();

  constructor(facts: BuiltinFacts) {
    this.#facts = facts;
  }

  find(message: string): FieldType {
    const known = this.#known.get(message);
    if (known !== undefined) return known;
    const fact = this.#facts.message(message);
    const type = fact.isList ? this.#listMessage(fact.fields) : this.#mapMessage(message);
    this.#known.set(message, type);
    return type;
  }

  #listMessage(fields: ReadonlyMap<string, FieldFact>): FieldType {
    const items = fields.get('items');
    return items === undefined ? deduced : this.#ofField(items);
  }

  #mapMessage(message: string): FieldType {
    const { fields, isAtomic, isKind } = this.#facts.message(message);
    const own = [...fields.values()].map((field) => [field.name, this.#ofField(field)] as const);
    return {
      kind: 'map',
      relationship: isAtomic ? 'atomic' : 'granular',
      fields: {
        ...(isKind ? { apiVersion: scalar, kind: scalar } : {}),
        ...Object.fromEntries(own),
      },
    };
  }

  #ofField(field: FieldFact): FieldType {
    const { type, list, ownership } = field;
    if (type.kind === 'list') {
      return {
        kind: 'list',
        relationship: list?.type ?? 'atomic',
        element: this.#ofType(type.item),
        keys: list?.keys ?? [],
        keyDefaults: this.#keyDefaults(type.item, list?.keys ?? []),
      };
    }
    if (ownership === undefined) return this.#ofType(type);
    return { kind: 'lazy', type: () => owned(this.#ofType(type), ownership) };
  }

  #ofType(type: TypeFact): FieldType {
    switch (type.kind) {
      case 'message':
        return { kind: 'lazy', type: () => this.find(type.message) };
      case 'map':
        return {
          kind: 'map',
          relationship: 'granular',
          fields: {},
          element: this.#ofType(type.item),
        };
      case 'list':
        return {
          kind: 'list',
          relationship: 'atomic',
          element: this.#ofType(type.item),
          keys: [],
          keyDefaults: {},
        };
      case 'scalar':
        return scalarTypes[type.scalar] ?? scalar;
    }
  }

  // A key that an item leaves out has its default, or what Go has for no value.
  #keyDefaults(item: TypeFact, keys: readonly string[]): Readonly<Record<string, unknown>> {
    if (item.kind !== 'message') return {};
    const { fields } = this.#facts.message(item.message);
    const defaults = keys.flatMap((key) => {
      const field = fields.get(key);
      const value = field?.default ?? (field?.required === true ? zeroOf(field) : undefined);
      return value === undefined ? [] : [[key, value] as const];
    });
    return Object.fromEntries(defaults);
  }
}

function zeroOf({ type, pointer }: FieldFact): unknown {
  if (pointer || type.kind !== 'scalar') return undefined;
  if (type.scalar === 'string') return '';
  return type.scalar === 'int32' || type.scalar === 'int64' ? 0 : undefined;
}

function owned(type: FieldType, relationship: 'atomic' | 'granular'): FieldType {
  if (type.kind === 'lazy') return owned(type.type(), relationship);
  return type.kind === 'map' ? { ...type, relationship } : type;
}
