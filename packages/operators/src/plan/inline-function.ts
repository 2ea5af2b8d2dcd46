import { apiVersion, managedBy, managedByLabel, type OperatorObject } from '@fnlet/api';
import type { JsonObject } from '@fnlet/base';
import type { KubeObject } from '@fnlet/machinery';

/** Name of the Operator that a Function belongs to. */
export const operatorLabel = 'fnlet.dev/operator';

/** The Function that an Operator brings with it; `undefined` for one that names another. */
export function inlineFunction(operator: OperatorObject): KubeObject | undefined {
  const { metadata, spec } = operator;
  const { function: named, ...inline } = spec.reconcile;
  if (named !== undefined) return undefined;
  const { name, namespace = '', uid = '' } = metadata;
  const owner = {
    ...{ apiVersion: operator.apiVersion, kind: operator.kind, name, uid },
    ...{ controller: true, blockOwnerDeletion: true },
  };
  const described: JsonObject = {
    ...inline,
    // Whoever else could call it could have it say what nobody wants.
    visibility: 'internal',
    timeout: spec.deadline,
  };
  return {
    apiVersion,
    kind: 'Function',
    metadata: {
      ...{ name, namespace },
      labels: { [operatorLabel]: name, [managedByLabel]: managedBy },
      ownerReferences: [owner],
    },
    spec: described,
  };
}
