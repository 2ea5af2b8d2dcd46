import { jsonEqual } from '@fnlet/base';
import type { FieldError, KubeObject } from '@fnlet/machinery';
import { objectField } from '../object/object-form.ts';
import type { ChangeRule } from './kind-rules.ts';
import { forbidden, invalid } from './refusal.ts';

/** Fields of the spec that keep the value they were created with. */
export function immutableSpec(...names: readonly string[]): ChangeRule {
  return (object, old) => {
    const next = objectField(object, 'spec');
    const before = objectField(old, 'spec');
    return names
      .filter((name) => !jsonEqual(next[name], before[name]))
      .map((name) => invalid(`spec.${name}`, next[name] ?? null, 'field is immutable'));
  };
}

/** Fields of the object itself that keep the value they were created with. */
export function immutable(...names: readonly string[]): ChangeRule {
  return (object, old) =>
    names
      .filter((name) => !jsonEqual(object[name], old[name]))
      .map((name) => invalid(name, object[name] ?? null, 'field is immutable'));
}

/** Everything in the spec stays but these fields; `why` is what Kubernetes says about it. */
export function onlySpec(names: readonly string[], why: string): ChangeRule {
  return (object, old): readonly FieldError[] =>
    jsonEqual(without(object, names), without(old, names)) ? [] : [forbidden('spec', why)];
}

function without(object: KubeObject, names: readonly string[]): unknown {
  const dropped = names.map((name): [string, undefined] => [name, undefined]);
  return { ...objectField(object, 'spec'), ...Object.fromEntries(dropped) };
}
