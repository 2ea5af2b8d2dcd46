import type { KubeObject } from '@fnlet/machinery';
import { ageColumn, nameColumn } from '../../answer/column.ts';
import { objectField } from '../../object/object-form.ts';
import { column, countColumn, statusCount } from '../cells.ts';
import { atMostAll, countOrPercent } from '../form.ts';
import { type KindRules, validation } from '../kind-rules.ts';
import { labelSelector } from '../label-selector-rule.ts';
import { invalid } from '../refusal.ts';
import { about, all, fields, isUnset, oneOf, type Rule } from '../rule.ts';

const oneBound: Rule = about((spec, path) => {
  if (isUnset(spec.minAvailable) || isUnset(spec.maxUnavailable)) return [];
  return [invalid(path, spec, 'minAvailable and maxUnavailable cannot be both set')];
});

const bound = all(countOrPercent, atMostAll);

const specRule: Rule = all(
  oneBound,
  fields({
    minAvailable: bound,
    maxUnavailable: bound,
    unhealthyPodEvictionPolicy: oneOf('AlwaysAllow', 'IfHealthyBudget'),
    selector: labelSelector,
  }),
);

const boundCell =
  (field: string) =>
  (budget: KubeObject): string => {
    const value = objectField(budget, 'spec')[field];
    return isUnset(value) ? 'N/A' : String(value);
  };

/** policy/v1 PodDisruptionBudget. */
export const podDisruptionBudgetRules: KindRules = {
  group: 'policy',
  kind: 'PodDisruptionBudget',
  plural: 'poddisruptionbudgets',
  nameRule: 'pathSegment',
  columns: [
    nameColumn,
    column('Min Available', 'No fewer Pods that can be counted on.', boundCell('minAvailable')),
    column('Max Unavailable', 'No more Pods that cannot.', boundCell('maxUnavailable')),
    countColumn('Allowed Disruptions', 'Pods that may go now.', statusCount('disruptionsAllowed')),
    ageColumn,
  ],
  prepareCreate: (budget) => ({
    ...budget,
    status: { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 },
  }),
  validate: validation(fields({ spec: specRule })),
};
