import type { KubeObject } from '@fnlet/machinery';
import { ageColumn, nameColumn } from '../../answer/column.ts';
import { objectField, withMetadata } from '../../object/object-form.ts';
import { count } from '../apps/workload.ts';
import { countColumn, specCount, statusCount, templateColumns, wideColumn } from '../cells.ts';
import { changeSpec, fill } from '../fill.ts';
import { labels } from '../form.ts';
import { type KindRules, validation } from '../kind-rules.ts';
import { shownSelector, textMap } from '../label-selector-rule.ts';
import { fillTemplate, runningTemplateErrors } from '../pod/pod-template.ts';
import { missing } from '../refusal.ts';
import { about, all, fields, isUnset, type Rule } from '../rule.ts';

// The elder of ReplicaSet: its selector is a plain map, and comes from its template.

const template: Rule = about((spec, path) =>
  isUnset(spec.template)
    ? [missing(`${path}.template`)]
    : runningTemplateErrors({
        template: spec.template,
        path: `${path}.template`,
        selector: { matchLabels: spec.selector ?? {} },
        kind: 'ReplicationController',
      }),
);

const someLabels: Rule = about((selector, path) =>
  Object.keys(selector).length === 0 ? [missing(path)] : labels(selector, path),
);

const specRule: Rule = all(
  fields({ minReadySeconds: count, selector: someLabels, replicas: count }),
  template,
);

function withTemplateLabels(controller: KubeObject): KubeObject {
  const spec = objectField(controller, 'spec');
  const own = textMap(objectField(objectField(spec, 'template'), 'metadata'), 'labels');
  if (Object.keys(own).length === 0) return controller;
  const isUnlabelled = Object.keys(controller.metadata.labels ?? {}).length === 0;
  const labelled = isUnlabelled ? withMetadata(controller, { labels: own }) : controller;
  return Object.keys(objectField(spec, 'selector')).length > 0
    ? labelled
    : changeSpec(labelled, (old) => ({ ...old, selector: own }));
}

/** core/v1 ReplicationController. */
export const replicationControllerRules: KindRules = {
  kind: 'ReplicationController',
  plural: 'replicationcontrollers',
  columns: [
    nameColumn,
    countColumn('Desired', 'Pods that are wanted.', specCount('replicas')),
    countColumn('Current', 'Pods that are there.', statusCount('replicas')),
    countColumn('Ready', 'Pods that are ready.', statusCount('readyReplicas')),
    ageColumn,
    ...templateColumns((controller) => objectField(objectField(controller, 'spec'), 'template')),
    wideColumn('Selector', 'Which Pods belong to it.', (controller) =>
      shownSelector({ matchLabels: objectField(controller, 'spec').selector }),
    ),
  ],
  selectableFields: {
    'status.replicas': (controller) => String(statusCount('replicas')(controller)),
  },
  defaults: (controller) =>
    changeSpec(withTemplateLabels(controller), (spec) => {
      const filled = fill(spec, { replicas: 1 });
      return isUnset(spec.template) ? filled : fillTemplate(filled);
    }),
  prepareCreate: (controller) => ({ ...controller, status: { replicas: 0 } }),
  validate: validation(fields({ spec: specRule })),
};
