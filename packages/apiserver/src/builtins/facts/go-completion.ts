import { isJsonObject, type JsonObject } from '@fnlet/base';
import type { BuiltinFacts } from './builtin-facts.ts';
import type { FieldFact, MessageFact, TypeFact } from './message-fact.ts';

/**
 * A decoded object with what a Go server adds whatever the kind: the defaults that stand in the
 * type (`protocol: TCP`), and the structs that Go always writes (`resources: {}`). Shares what did
 * not change with `value`. Pure.
 */
export function completeGo(facts: BuiltinFacts, message: string, value: JsonObject): JsonObject {
  return completeStruct(facts, facts.message(message), value);
}

function completeStruct(facts: BuiltinFacts, message: MessageFact, value: JsonObject): JsonObject {
  let completed: Record<string, unknown> | undefined;
  for (const field of message.fields.values()) {
    const before = value[field.name];
    const after = before === undefined ? absent(facts, field) : complete(facts, field.type, before);
    if (after === before) continue;
    completed ??= { ...value };
    completed[field.name] = after;
  }
  return completed ?? value;
}

function absent(facts: BuiltinFacts, field: FieldFact): unknown {
  if (field.default !== undefined) return field.default;
  const { type, pointer, omitZero } = field;
  if (type.kind !== 'message' || pointer || omitZero) return undefined;
  const message = facts.message(type.message);
  return message.isList ? undefined : completeStruct(facts, message, {});
}

function complete(facts: BuiltinFacts, type: TypeFact, value: unknown): unknown {
  switch (type.kind) {
    case 'scalar':
      return value;
    case 'message': {
      const message = facts.message(type.message);
      return isJsonObject(value) && !message.isList ? completeStruct(facts, message, value) : value;
    }
    case 'list': {
      if (!Array.isArray(value)) return value;
      const items = value.map((item: unknown) => complete(facts, type.item, item));
      return items.some((item, index) => item !== value[index]) ? items : value;
    }
    case 'map': {
      if (!isJsonObject(value) || type.item.kind === 'scalar') return value;
      const entries = Object.entries(value);
      const items = entries.map(([key, item]) => [key, complete(facts, type.item, item)] as const);
      const isSame = items.every(([key, item]) => item === value[key]);
      return isSame ? value : Object.fromEntries(items);
    }
  }
}
