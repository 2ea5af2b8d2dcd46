import type { JsonObject } from '@fnlet/base';
import type { FieldError, KubeObject } from '@fnlet/machinery';
import { ageColumn, nameColumn } from '../../answer/column.ts';
import { listField, objectField, textField, withFields } from '../../object/object-form.ts';
import { column, none, wideColumn } from '../cells.ts';
import { labelValue, network, qualifiedName } from '../form.ts';
import { type KindRules, validation } from '../kind-rules.ts';
import { taintEffect } from '../pod/scheduling-rule.ts';
import { duplicate, forbidden } from '../refusal.ts';
import { all, each, fields, isUnset, type Rule, required } from '../rule.ts';

const taint: Rule = fields({
  key: required(qualifiedName),
  value: labelValue,
  effect: taintEffect,
});

const uniqueTaints: Rule = (value, path) => {
  const taints = listField({ value }, 'value');
  return taints.flatMap((one, index) => {
    const isAgain = taints
      .slice(0, index)
      .some(({ key, effect }) => key === one.key && effect === one.effect);
    if (!isAgain) return [];
    const error = duplicate(`${path}[${index}]`, one);
    return [
      { ...error, message: `${error.message}: taints must be unique by key and effect pair` },
    ];
  });
};

// Kubernetes tells taints below metadata, wherever they stand.
const taints: Rule = (value) => all(each(taint), uniqueTaints)(value, 'metadata.taints');

const specRule: Rule = fields({ taints, podCIDRs: each(network) });

/** Where a node is and what it is called by its provider is said once. */
const saidOnce: Readonly<Record<string, string>> = {
  podCIDR: 'node updates may not change podCIDR except from "" to valid',
  podCIDRs: 'node updates may not change podCIDR except from "" to valid',
  providerID: 'node updates may not change providerID except from "" to valid',
};

function changeErrors(node: KubeObject, old: KubeObject): readonly FieldError[] {
  const next = objectField(node, 'spec');
  const before = objectField(old, 'spec');
  return Object.entries(saidOnce)
    .filter(([field]) => !isUnset(before[field]) && String(before[field]) !== String(next[field]))
    .map(([field, why]) => forbidden(`spec.${field}`, why));
}

function statusCell(node: KubeObject): string {
  const conditions = listField(objectField(node, 'status'), 'conditions');
  const ready = conditions.find(({ type }) => type === 'Ready');
  const word = ready === undefined ? 'Unknown' : ready.status === 'True' ? 'Ready' : 'NotReady';
  return objectField(node, 'spec').unschedulable === true ? `${word},SchedulingDisabled` : word;
}

const rolePrefix = 'node-role.kubernetes.io/';

function rolesCell(node: KubeObject): string {
  const roles = Object.entries(node.metadata.labels ?? {}).flatMap(([key, value]) => {
    if (key.startsWith(rolePrefix)) return [key.slice(rolePrefix.length)];
    return key === 'kubernetes.io/role' ? [value] : [];
  });
  const named = roles.filter((role) => role !== '');
  return [...new Set(named)].sort().join(',') || none;
}

const systemInfo =
  (field: string, nothing: string) =>
  (node: KubeObject): string =>
    textField(objectField(objectField(node, 'status'), 'nodeInfo'), field) || nothing;

const addressCell =
  (type: string) =>
  (node: KubeObject): string => {
    const addresses = listField(objectField(node, 'status'), 'addresses');
    return textField(addresses.find((one) => one.type === type) ?? {}, 'address') || none;
  };

const unknown = '<unknown>';

// A node that says what it has and not what it can give, gives all of it.
function withAllocatable(node: KubeObject): KubeObject {
  const status: JsonObject = objectField(node, 'status');
  if (status.capacity === undefined || status.allocatable !== undefined) return node;
  return withFields(node, { status: { ...status, allocatable: status.capacity } });
}

/** core/v1 Node. */
export const nodeRules: KindRules = {
  kind: 'Node',
  plural: 'nodes',
  columns: [
    nameColumn,
    column('Status', 'Whether it takes Pods.', statusCell),
    column('Roles', 'What it is for.', rolesCell),
    ageColumn,
    column('Version', 'Version of its kubelet.', systemInfo('kubeletVersion', '')),
    wideColumn('Internal-IP', 'Its address inside.', addressCell('InternalIP')),
    wideColumn('External-IP', 'Its address outside.', addressCell('ExternalIP')),
    wideColumn('OS-Image', 'Its operating system.', systemInfo('osImage', unknown)),
    wideColumn('Kernel-Version', 'Its kernel.', systemInfo('kernelVersion', unknown)),
    wideColumn(
      'Container-Runtime',
      'What runs its containers.',
      systemInfo('containerRuntimeVersion', unknown),
    ),
  ],
  selectableFields: {
    'spec.unschedulable': (node) => String(objectField(node, 'spec').unschedulable === true),
  },
  defaults: withAllocatable,
  validate: validation(fields({ spec: specRule }), changeErrors),
};
