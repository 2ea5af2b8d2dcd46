import { type JsonObject, jsonEqual } from '@fnlet/base';
import type { FieldError, KubeObject } from '@fnlet/machinery';
import { listField, objectField, textField } from '../../object/object-form.ts';
import { forbidden, invalid, missing } from '../refusal.ts';

// What may change of a Pod once it is there (kubernetes, ValidatePodUpdate).

/** Fields that have their own rules here; all others stay as they are. */
const changeable: ReadonlySet<string> = new Set([
  'containers',
  'initContainers',
  'activeDeadlineSeconds',
  'tolerations',
  'terminationGracePeriodSeconds',
  'schedulingGates',
]);

/** The refusals of a change of a Pod's spec. */
export function podUpdateErrors(pod: KubeObject, old: KubeObject): readonly FieldError[] {
  const next = objectField(pod, 'spec');
  const before = objectField(old, 'spec');
  const containerErrors = ['containers', 'initContainers'].flatMap((field) =>
    imageErrors(next, before, field),
  );
  if (containerErrors.some(({ reason }) => reason === 'FieldValueForbidden')) {
    return containerErrors;
  }
  return [
    ...containerErrors,
    ...deadlineErrors(next.activeDeadlineSeconds, before.activeDeadlineSeconds),
    ...tolerationErrors(next, before),
    ...gateErrors(next, before),
    ...(isKept(next, before) ? [] : [forbidden('spec', rest)]),
  ];
}

/** The refusals of a Pod that is new (kubernetes, ValidatePodCreate). */
export function podCreateErrors(pod: KubeObject): readonly FieldError[] {
  const debugging = listField(objectField(pod, 'spec'), 'ephemeralContainers');
  if (debugging.length === 0) return [];
  return [forbidden('spec.ephemeralContainers', 'cannot be set on create')];
}

/**
 * The refusals of a change of the containers that debug a Pod: more may come, and those that are
 * there stay as they are (kubernetes, ValidatePodEphemeralContainersUpdate).
 */
export function ephemeralUpdateErrors(pod: KubeObject, old: KubeObject): readonly FieldError[] {
  const listed = ({ spec }: KubeObject): readonly JsonObject[] =>
    listField(objectField({ spec }, 'spec'), 'ephemeralContainers');
  const next = new Map(listed(pod).map((container) => [container.name, container]));
  return listed(old).flatMap((before) => {
    const after = next.get(before.name);
    if (after !== undefined && jsonEqual(after, before)) return [];
    const what = after === undefined ? 'removed' : 'changed';
    const why = `existing ephemeral containers "${String(before.name)}" may not be ${what}\n`;
    return [forbidden('spec.ephemeralContainers', why)];
  });
}

const rest =
  'pod updates may not change fields other than `spec.containers[*].image`,' +
  '`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only ' +
  'additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set ' +
  'to 1 if it was previously negative)';

function imageErrors(next: JsonObject, before: JsonObject, field: string): FieldError[] {
  const containers = listField(next, field);
  if (containers.length !== listField(before, field).length) {
    return [forbidden(`spec.${field}`, 'pod updates may not add or remove containers')];
  }
  return containers.flatMap((container, i) => {
    const isGiven = textField(container, 'image') !== '';
    return isGiven ? [] : [missing(`spec.${field}[${i}].image`)];
  });
}

function deadlineErrors(next: unknown, before: unknown): readonly FieldError[] {
  const at = 'spec.activeDeadlineSeconds';
  if (typeof before !== 'number') return [];
  if (typeof next !== 'number') {
    return [invalid(at, null, 'must not update from a positive integer to nil value')];
  }
  const text = 'must be less than or equal to previous value';
  return next <= before ? [] : [invalid(at, next, text)];
}

function tolerationErrors(next: JsonObject, before: JsonObject): readonly FieldError[] {
  const untimed = (list: JsonObject): readonly JsonObject[] =>
    listField(list, 'tolerations').map((one) => ({ ...one, tolerationSeconds: undefined }));
  const kept = untimed(next);
  if (untimed(before).every((old) => kept.some((one) => jsonEqual(one, old)))) return [];
  const why = 'existing toleration can not be modified except its tolerationSeconds';
  return [forbidden('spec.tolerations', why)];
}

function gateErrors(next: JsonObject, before: JsonObject): readonly FieldError[] {
  const known = new Set(listField(before, 'schedulingGates').map(({ name }) => name));
  return listField(next, 'schedulingGates').flatMap(({ name }, i) => {
    if (known.has(name)) return [];
    const why = `only deletion is allowed, but found new scheduling gate '${String(name)}'`;
    return [forbidden(`spec.schedulingGates[${i}].name`, why)];
  });
}

function isKept(next: JsonObject, before: JsonObject): boolean {
  if (!isGraceKept(next.terminationGracePeriodSeconds, before.terminationGracePeriodSeconds)) {
    return false;
  }
  return jsonEqual(fixedPart(next), fixedPart(before));
}

function isGraceKept(next: unknown, before: unknown): boolean {
  return next === before || (next === 1 && typeof before === 'number' && before < 0);
}

function fixedPart(podSpec: JsonObject): JsonObject {
  const entries = Object.entries(podSpec).filter(([field]) => !changeable.has(field));
  const imageless = (field: string): readonly JsonObject[] =>
    listField(podSpec, field).map((container) => ({ ...container, image: undefined }));
  return {
    ...Object.fromEntries(entries),
    containers: imageless('containers'),
    initContainers: imageless('initContainers'),
  };
}
