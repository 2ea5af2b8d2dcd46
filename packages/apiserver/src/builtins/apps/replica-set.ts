import { ageColumn, nameColumn } from '../../answer/column.ts';
import { countColumn, specCount, statusCount } from '../cells.ts';
import { immutableSpec } from '../changes.ts';
import { changeSpec, fill } from '../fill.ts';
import { type KindRules, validation } from '../kind-rules.ts';
import { podSelector } from '../label-selector-rule.ts';
import { fillTemplate, runningTemplateErrors } from '../pod/pod-template.ts';
import { about, all, fields, type Rule } from '../rule.ts';
import { count, podColumns } from './workload.ts';

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
  fields({ replicas: count, minReadySeconds: count, selector: podSelector('deployment') }),
  template,
);

/** apps/v1 ReplicaSet. */
export const replicaSetRules: KindRules = {
  group: 'apps',
  kind: 'ReplicaSet',
  plural: 'replicasets',
  columns: [
    nameColumn,
    countColumn('Desired', 'Pods that are wanted.', specCount('replicas')),
    countColumn('Current', 'Pods that are there.', statusCount('replicas')),
    countColumn('Ready', 'Pods that are ready.', statusCount('readyReplicas')),
    ageColumn,
    ...podColumns,
  ],
  defaults: (set) => changeSpec(set, (spec) => fillTemplate(fill(spec, { replicas: 1 }))),
  prepareCreate: (set) => ({ ...set, status: { replicas: 0 } }),
  validate: validation(fields({ spec: specRule }), immutableSpec('selector')),
};
