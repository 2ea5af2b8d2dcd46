import { isJsonObject, type JsonObject } from '@fnlet/base';
import { formatLabelSelector, type KubeObject, labelSelectorFromSpec } from '@fnlet/machinery';
import { listField, objectField } from '../../object/object-form.ts';
import type { ScalePaths } from '../../resource/strategy.ts';

/** Where the builtin kinds that can be scaled keep their numbers and their selector. */
export const builtinScale: ScalePaths = {
  specReplicasPath: '.spec.replicas',
  statusReplicasPath: '.status.replicas',
  selector: (object: KubeObject): string => {
    const selector = objectField(objectField(object, 'spec'), 'selector');
    // A ReplicationController's selector has no operators: it is the labels themselves.
    const isPlain = object.kind === 'ReplicationController';
    const matchLabels = texts(isPlain ? selector : objectField(selector, 'matchLabels'));
    const matchExpressions = listField(selector, 'matchExpressions').map(requirement);
    return formatLabelSelector(labelSelectorFromSpec({ matchLabels, matchExpressions }));
  },
};

function requirement(value: JsonObject): { key: string; operator: string; values: string[] } {
  const values: unknown = value.values;
  return {
    key: String(value.key),
    operator: String(value.operator),
    values: Array.isArray(values) ? values.map(String) : [],
  };
}

function texts(value: unknown): Readonly<Record<string, string>> {
  if (!isJsonObject(value)) return {};
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, String(item)]));
}
