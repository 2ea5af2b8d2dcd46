import type { JsonObject } from '@fnlet/base';
import { ageColumn, nameColumn } from '../../answer/column.ts';
import { objectField } from '../../object/object-form.ts';
import { column, numberField, statusCount } from '../cells.ts';
import { immutableSpec } from '../changes.ts';
import { changeSpec, fill } from '../fill.ts';
import { atMostAll } from '../form.ts';
import { type KindRules, validation } from '../kind-rules.ts';
import { podSelector } from '../label-selector-rule.ts';
import { fillTemplate, runningTemplateErrors } from '../pod/pod-template.ts';
import { forbidden, invalid } from '../refusal.ts';
import { about, all, fields, isUnset, type Rule } from '../rule.ts';
import { amountOf, count, podColumns, podCount, readyCell, strategyType } from './workload.ts';

const strategyRule: Rule = about((strategy, path) => {
  const at = `${path}.rollingUpdate`;
  const { type, rollingUpdate } = strategy;
  if (type === 'Recreate' && !isUnset(rollingUpdate)) {
    return [forbidden(at, "may not be specified when strategy `type` is 'Recreate'")];
  }
  return type === 'RollingUpdate' ? rollingRule(rollingUpdate, at) : [];
});

const noProgress: Rule = about(({ maxUnavailable, maxSurge }, path) =>
  amountOf(maxUnavailable) === 0 && amountOf(maxSurge) === 0
    ? [invalid(`${path}.maxUnavailable`, maxUnavailable, 'may not be 0 when `maxSurge` is 0')]
    : [],
);

const rollingRule: Rule = all(
  fields({ maxUnavailable: podCount, maxSurge: podCount }),
  noProgress,
  fields({ maxUnavailable: atMostAll }),
);

const deadline: Rule = about((spec, path) => {
  const { progressDeadlineSeconds } = spec;
  if (typeof progressDeadlineSeconds !== 'number') return [];
  if (progressDeadlineSeconds > numberField(spec, 'minReadySeconds')) return [];
  const at = `${path}.progressDeadlineSeconds`;
  return [invalid(at, progressDeadlineSeconds, 'must be greater than minReadySeconds')];
});

const template: Rule = about((spec, path) =>
  runningTemplateErrors({
    template: spec.template,
    path: `${path}.template`,
    selector: spec.selector,
    kind: 'ReplicaSet',
    refusal: 'invalid label selector',
  }),
);

const specRule: Rule = all(
  fields({ replicas: count, selector: podSelector('deployment') }),
  template,
  fields({
    strategy: all(strategyType('Recreate', 'RollingUpdate'), strategyRule),
    minReadySeconds: count,
    revisionHistoryLimit: count,
    progressDeadlineSeconds: count,
  }),
  deadline,
);

function specDefaults(spec: JsonObject): JsonObject {
  const strategy = fill(objectField(spec, 'strategy'), { type: 'RollingUpdate' });
  const rollingUpdate = fill(objectField(strategy, 'rollingUpdate'), {
    maxUnavailable: '25%',
    maxSurge: '25%',
  });
  const isRolling = strategy.type === 'RollingUpdate';
  return fillTemplate({
    ...fill(spec, { replicas: 1, revisionHistoryLimit: 10, progressDeadlineSeconds: 600 }),
    strategy: isRolling ? { ...strategy, rollingUpdate } : strategy,
  });
}

/** apps/v1 Deployment. */
export const deploymentRules: KindRules = {
  group: 'apps',
  kind: 'Deployment',
  plural: 'deployments',
  annotationsAsk: true,
  columns: [
    nameColumn,
    column('Ready', 'Ready Pods, of how many are wanted.', readyCell),
    column('Up-to-date', 'Pods of the newest template.', statusCount('updatedReplicas')),
    column('Available', 'Pods that can be counted on.', statusCount('availableReplicas')),
    ageColumn,
    ...podColumns,
  ],
  defaults: (deployment) => changeSpec(deployment, specDefaults),
  prepareCreate: (deployment) => ({ ...deployment, status: {} }),
  validate: validation(fields({ spec: specRule }), immutableSpec('selector')),
};
