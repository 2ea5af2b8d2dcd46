import { isJsonObject } from '@fnlet/base';
import type { KubeObject } from '@fnlet/machinery';
import { type Column, nameColumn } from '../answer/column.ts';
import { listField, objectField, textField } from '../object/object-form.ts';
import type { Strategy } from '../resource/strategy.ts';

const windowColumn: Column = {
  name: 'Window',
  type: 'string',
  description: 'The time over which the use of CPU was measured.',
  cell: (object) => textField(object, 'window'),
};

/** metrics.k8s.io/v1beta1, which `kubectl top` and autoscalers read. Nothing of it is stored. */
export const metricsStrategies: readonly Strategy[] = [
  metricsStrategy({ kind: 'NodeMetrics', plural: 'nodes', namespaced: false }),
  metricsStrategy({ kind: 'PodMetrics', plural: 'pods', namespaced: true }),
];

function metricsStrategy(names: {
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
}): Strategy {
  const { kind, plural } = names;
  const group = 'metrics.k8s.io';
  return {
    type: { group, version: 'v1beta1', ...names },
    stored: { apiVersion: `${group}/v1beta1`, group, plural },
    singular: '',
    listKind: `${kind}List`,
    shortNames: [],
    categories: [],
    custom: false,
    computed: true,
    schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    nameRule: 'pathSegment',
    hasStatus: false,
    hasGeneration: false,
    unconditionalUpdate: false,
    columns: [nameColumn, usageColumn('cpu'), usageColumn('memory'), windowColumn],
    selectableFields: {},
    withoutVerbs: ['create', 'delete', 'deletecollection', 'patch', 'update', 'watch'],
  };
}

/** The use of a node, or of all containers of a Pod together. */
function usageColumn(name: 'cpu' | 'memory'): Column {
  const unit = name === 'cpu' ? 'n' : 'Ki';
  return {
    name,
    type: 'string',
    description: `How much ${name} is used.`,
    cell(object) {
      const parts = isJsonObject(object.usage) ? [object] : listField(object, 'containers');
      const sum = parts.reduce((total, part) => total + amountOf(part, name), 0);
      return `${sum}${unit}`;
    },
  };
}

function amountOf(part: Readonly<Record<string, unknown>> | KubeObject, name: string): number {
  return Number.parseInt(textField(objectField(part, 'usage'), name), 10) || 0;
}
