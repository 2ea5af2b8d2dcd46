import type { StrategicType } from '../../patch/strategic-merge.ts';
import type { BuiltinFacts } from './builtin-facts.ts';
import type { FieldFact, TypeFact } from './message-fact.ts';

type Fields = NonNullable<StrategicType['fields']>;

/** How strategic merge patches merge builtin types; each is looked at when a patch reaches it. */
export class MessageStrategicTypes {
  readonly #facts: BuiltinFacts;
  readonly #known = new Map<string, StrategicType>();

  constructor(facts: BuiltinFacts) {
    this.#facts = facts;
  }

  find(message: string): StrategicType {
    const known = this.#known.get(message);
    if (known !== undefined) return known;
    const type = withFields({}, () => this.#fieldsOf(message));
    this.#known.set(message, type);
    return type;
  }

  #fieldsOf(message: string): Fields {
    const fields = [...this.#facts.message(message).fields.values()];
    return Object.fromEntries(fields.map((field) => [field.name, this.#ofField(field)]));
  }

  #ofField({ type, patch }: FieldFact): StrategicType {
    const own: StrategicType = {
      ...(patch === undefined ? {} : patch),
      ...(type.kind === 'list' ? { items: this.#ofType(type.item) } : {}),
    };
    if (type.kind !== 'message') return own;
    const { message } = type;
    return withFields(own, () => this.find(message).fields ?? {});
  }

  #ofType(type: TypeFact): StrategicType {
    return type.kind === 'message' ? this.find(type.message) : {};
  }
}

function withFields(type: StrategicType, read: () => Fields): StrategicType {
  let fields: Fields | undefined;
  return {
    ...type,
    get fields(): Fields {
      fields ??= read();
      return fields;
    },
  };
}
