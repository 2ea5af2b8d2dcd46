import { isJsonObject, type JsonObject, jsonEqual } from '@fnlet/base';
import type { KubeObject } from '@fnlet/machinery';
import { ageColumn, nameColumn } from '../../answer/column.ts';
import { objectField, withFields, withMetadata } from '../../object/object-form.ts';
import type { UpdateContext } from '../../resource/strategy.ts';
import { column, countColumn, none, statusCount } from '../cells.ts';
import { immutableSpec } from '../changes.ts';
import { changeSpec, fill } from '../fill.ts';
import { atMostAll } from '../form.ts';
import { type KindRules, validation } from '../kind-rules.ts';
import { emptyRefused, textMap } from '../label-selector-rule.ts';
import { fillTemplate, runningTemplateErrors } from '../pod/pod-template.ts';
import { invalid, missing } from '../refusal.ts';
import { about, all, fields, type Rule, required } from '../rule.ts';
import { amountOf, count, podColumns, podCount, strategyType } from './workload.ts';

const oneOfBoth: Rule = about(({ maxUnavailable, maxSurge }, path) => {
  const isStill = amountOf(maxUnavailable) === 0;
  const isFixed = amountOf(maxSurge) === 0;
  if (isStill && isFixed) {
    return [missing(`${path}.maxUnavailable`, 'cannot be 0 when maxSurge is 0')];
  }
  if (isStill || isFixed) return [];
  return [invalid(`${path}.maxSurge`, maxSurge, 'may not be set when maxUnavailable is non-zero')];
});

const rollingRule: Rule = all(
  fields({ maxUnavailable: all(podCount, atMostAll), maxSurge: all(podCount, atMostAll) }),
  oneOfBoth,
);

const strategyRule: Rule = all(
  strategyType('RollingUpdate', 'OnDelete'),
  about(({ type, rollingUpdate }, path) =>
    type === 'RollingUpdate' ? required(rollingRule)(rollingUpdate, `${path}.rollingUpdate`) : [],
  ),
);

const template: Rule = about((spec, path) =>
  runningTemplateErrors({
    template: spec.template,
    path: `${path}.template`,
    selector: spec.selector,
    kind: 'DaemonSet',
  }),
);

const specRule: Rule = all(
  fields({ selector: emptyRefused('daemonset') }),
  template,
  fields({ minReadySeconds: count, updateStrategy: strategyRule, revisionHistoryLimit: count }),
);

function specDefaults(spec: JsonObject): JsonObject {
  const strategy = fill(objectField(spec, 'updateStrategy'), { type: 'RollingUpdate' });
  const rollingUpdate = fill(objectField(strategy, 'rollingUpdate'), {
    maxUnavailable: 1,
    maxSurge: 0,
  });
  return fillTemplate({
    ...fill(spec, { revisionHistoryLimit: 10 }),
    updateStrategy: strategy.type === 'RollingUpdate' ? { ...strategy, rollingUpdate } : strategy,
  });
}

/** Counts the templates of a DaemonSet; kept for clients that are older than generations. */
const templateGeneration = 'deprecated.daemonset.template.generation';

function generationOf(set: KubeObject): string {
  return set.metadata.annotations?.[templateGeneration] ?? '0';
}

function withTemplateGeneration(set: KubeObject, generation: string): KubeObject {
  const annotations = { ...set.metadata.annotations, [templateGeneration]: generation };
  return withMetadata(set, { annotations });
}

function prepareUpdate(set: KubeObject, { old, subresource }: UpdateContext): KubeObject {
  if (subresource !== undefined) return set;
  const before = generationOf(old);
  const isSame = jsonEqual(objectField(set, 'spec').template, objectField(old, 'spec').template);
  return withTemplateGeneration(set, isSame ? before : String(Number(before) + 1));
}

function nodeSelectorCell(set: KubeObject): string {
  const { template } = objectField(set, 'spec');
  const podSpec = isJsonObject(template) ? objectField(template, 'spec') : {};
  const pairs = Object.entries(textMap(podSpec, 'nodeSelector')).sort();
  return pairs.map(([key, value]) => `${key}=${value}`).join(',') || none;
}

/** apps/v1 DaemonSet. */
export const daemonSetRules: KindRules = {
  group: 'apps',
  kind: 'DaemonSet',
  plural: 'daemonsets',
  columns: [
    nameColumn,
    countColumn('Desired', 'Nodes that should run it.', statusCount('desiredNumberScheduled')),
    countColumn('Current', 'Nodes that run it.', statusCount('currentNumberScheduled')),
    countColumn('Ready', 'Nodes whose Pod is ready.', statusCount('numberReady')),
    countColumn('Up-to-date', 'Nodes with the newest.', statusCount('updatedNumberScheduled')),
    countColumn('Available', 'Nodes that can be counted on.', statusCount('numberAvailable')),
    column('Node Selector', 'The nodes that it is for.', nodeSelectorCell),
    ageColumn,
    ...podColumns,
  ],
  // Whoever creates a DaemonSet owns the annotation, before it counts.
  defaults: (set) => withTemplateGeneration(changeSpec(set, specDefaults), generationOf(set)),
  prepareCreate: (set) =>
    withFields(withTemplateGeneration(set, '1'), {
      status: {
        currentNumberScheduled: 0,
        numberMisscheduled: 0,
        desiredNumberScheduled: 0,
        numberReady: 0,
      },
    }),
  prepareUpdate,
  validate: validation(fields({ spec: specRule }), immutableSpec('selector')),
};
