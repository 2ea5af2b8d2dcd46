import { isJsonObject, type JsonObject } from '@fnlet/base';
import { ageColumn, nameColumn } from '../../answer/column.ts';
import { listField, objectField, textField } from '../../object/object-form.ts';
import { column, templateColumns } from '../cells.ts';
import { onlySpec } from '../changes.ts';
import { claimDefaults, claimSpec } from '../core/claim-rule.ts';
import { changeItems, changeSpec, fill } from '../fill.ts';
import { atMostAll, named } from '../form.ts';
import { type KindRules, validation } from '../kind-rules.ts';
import { podSelector } from '../label-selector-rule.ts';
import { fillTemplate, runningTemplateErrors } from '../pod/pod-template.ts';
import { invalid } from '../refusal.ts';
import {
  about,
  all,
  alwaysOneOf,
  each,
  fields,
  isUnset,
  must,
  type Rule,
  required,
} from '../rule.ts';
import { amountOf, count, goStrategy, podCount, readyCell } from './workload.ts';

const someUnavailable: Rule = (value, path) =>
  isUnset(value) || amountOf(value) > 0 ? [] : [invalid(path, value, 'cannot be 0')];

const strategyRule: Rule = about((strategy, path) => {
  const { type, rollingUpdate } = strategy;
  const at = `${path}.rollingUpdate`;
  if (type === 'RollingUpdate') {
    return fields({ partition: count, maxUnavailable: all(podCount, someUnavailable, atMostAll) })(
      rollingUpdate,
      at,
    );
  }
  if (type !== 'OnDelete') {
    const shown = goStrategy(strategy, { partition: 0, maxUnavailable: null });
    return [invalid(path, shown, "must be 'RollingUpdate' or 'OnDelete'")];
  }
  if (isUnset(rollingUpdate)) return [];
  return [invalid(at, rollingUpdate, "only allowed for updateStrategy 'RollingUpdate'")];
});

const keepOrDelete: Rule = alwaysOneOf('Retain', 'Delete');

/** Once accepted they stay as they are, so an update need not look at them. */
const newClaims: Rule = fields({
  spec: fields({ volumeClaimTemplates: each(fields({ spec: claimSpec })) }),
});

const template: Rule = about((spec, path) =>
  runningTemplateErrors({
    template: withClaims(spec),
    path: `${path}.template`,
    selector: spec.selector,
    kind: 'StatefulSet',
    refusal: '',
  }),
);

/**
 * The template with a volume for each claim, which stands for one of the template's own: its Pods
 * will have them, so containers may say so.
 */
function withClaims(spec: JsonObject): JsonObject {
  const template = objectField(spec, 'template');
  const pod = objectField(template, 'spec');
  const claims = new Set(
    listField(spec, 'volumeClaimTemplates').map((claim) =>
      textField(objectField(claim, 'metadata'), 'name'),
    ),
  );
  if (claims.size === 0) return template;
  const claimed = [...claims].map((name) => ({ name, persistentVolumeClaim: { claimName: name } }));
  const others = listField(pod, 'volumes').filter((one) => !claims.has(textField(one, 'name')));
  return { ...template, spec: { ...pod, volumes: [...claimed, ...others] } };
}

const specRule: Rule = all(
  fields({
    podManagementPolicy: required(
      must(
        (value) => value === 'OrderedReady' || value === 'Parallel',
        "must be 'OrderedReady' or 'Parallel'",
      ),
    ),
    updateStrategy: strategyRule,
    persistentVolumeClaimRetentionPolicy: fields({
      whenDeleted: keepOrDelete,
      whenScaled: keepOrDelete,
    }),
    replicas: count,
    minReadySeconds: count,
    ordinals: fields({ start: count }),
    serviceName: named('dns1123Label'),
    selector: podSelector('statefulset'),
  }),
  template,
);

function specDefaults(spec: JsonObject): JsonObject {
  const given = objectField(spec, 'updateStrategy');
  const strategy = fill(given, { type: 'RollingUpdate' });
  // Who names the strategy and says no more of it gets no more.
  const isRolling =
    strategy.type === 'RollingUpdate' && (isUnset(given.type) || isJsonObject(given.rollingUpdate));
  const rollingUpdate = fill(objectField(strategy, 'rollingUpdate'), { partition: 0 });
  const filled = fill(spec, {
    replicas: 1,
    podManagementPolicy: 'OrderedReady',
    revisionHistoryLimit: 10,
  });
  const ordinals = isJsonObject(spec.ordinals) ? { ordinals: { start: 0, ...spec.ordinals } } : {};
  const retention = objectField(spec, 'persistentVolumeClaimRetentionPolicy');
  return changeItems(
    fillTemplate({
      ...filled,
      ...ordinals,
      updateStrategy: isRolling ? { ...strategy, rollingUpdate } : strategy,
      persistentVolumeClaimRetentionPolicy: fill(retention, {
        whenDeleted: 'Retain',
        whenScaled: 'Retain',
      }),
    }),
    'volumeClaimTemplates',
    claimTemplateDefaults,
  );
}

// A claim in a template is a whole object, with a kind and a status that means nothing.
function claimTemplateDefaults(claim: JsonObject): JsonObject {
  const whole = fill(claim, { apiVersion: 'v1', kind: 'PersistentVolumeClaim' });
  const spec = claimDefaults(objectField(whole, 'spec'));
  return { ...whole, spec, status: fill(objectField(whole, 'status'), { phase: 'Pending' }) };
}

const changeable = [
  'replicas',
  'ordinals',
  'template',
  'updateStrategy',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
  'minReadySeconds',
];

const onlyThese =
  "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', " +
  "'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and " +
  "'minReadySeconds' are forbidden";

const setValidation = validation(fields({ spec: specRule }), onlySpec(changeable, onlyThese));

/** apps/v1 StatefulSet. */
export const statefulSetRules: KindRules = {
  group: 'apps',
  kind: 'StatefulSet',
  plural: 'statefulsets',
  nameRule: 'dns1123Label',
  columns: [
    nameColumn,
    column('Ready', 'Ready Pods, of how many are wanted.', readyCell),
    ageColumn,
    ...templateColumns((set) => objectField(objectField(set, 'spec'), 'template')),
  ],
  defaults: (set) => changeSpec(set, specDefaults),
  prepareCreate: (set) => ({ ...set, status: { replicas: 0, availableReplicas: 0 } }),
  validate: (set, old, subresource) => [
    ...setValidation(set, old, subresource),
    ...(old === undefined ? newClaims(set, '') : []),
  ],
};
