import { isJsonObject, type JsonObject, jsonEqual } from '@fnlet/base';
import type { FieldError, KubeObject } from '@fnlet/machinery';
import { listField, objectField, textField, withFields } from '../object-form.ts';
import { fieldError } from '../request-options.ts';
import type { Strategy } from '../strategy.ts';
import { builtinStrategy } from './builtin-strategy.ts';
import { podColumns } from './pod-columns.ts';
import { podSpecSchema, podStatusSchema } from './pod-schema.ts';

const spec =
  (field: string) =>
  (pod: KubeObject): string =>
    textField(objectField(pod, 'spec'), field);
const status =
  (field: string) =>
  (pod: KubeObject): string =>
    textField(objectField(pod, 'status'), field);

export const podStrategy: Strategy = builtinStrategy({
  kind: 'Pod',
  plural: 'pods',
  shortNames: ['po'],
  categories: ['all'],
  // Since 1.35 Pods count their generations (KEP-5067).
  hasGeneration: true,
  description: 'A Pod is a set of containers that run together on one node.',
  fields: { spec: podSpecSchema, status: podStatusSchema },
  columns: podColumns,
  selectableFields: {
    'spec.nodeName': spec('nodeName'),
    'spec.restartPolicy': spec('restartPolicy'),
    'spec.schedulerName': spec('schedulerName'),
    'spec.serviceAccountName': spec('serviceAccountName'),
    'spec.hostNetwork': (pod) => String(objectField(pod, 'spec').hostNetwork === true),
    'status.phase': status('phase'),
    'status.podIP': status('podIP'),
    'status.podIPs': status('podIP'),
    'status.nominatedNodeName': status('nominatedNodeName'),
  },
  defaults: withContainerDefaults,
  prepareCreate,
  validate: (pod, old) => [...containerErrors(pod), ...changeErrors(pod, old)],
  gracePeriodSeconds,
});

// Always for a tag that can move, IfNotPresent for one that should not (core/v1 defaults).
function withContainerDefaults(pod: KubeObject): KubeObject {
  const podSpec = objectField(pod, 'spec');
  const complete = (containers: unknown): unknown =>
    Array.isArray(containers) ? containers.map(withPullPolicy) : containers;
  const { containers, initContainers } = podSpec;
  const account = textField(podSpec, 'serviceAccountName') || textField(podSpec, 'serviceAccount');
  const changed = {
    ...podSpec,
    containers: complete(containers),
    ...(initContainers === undefined ? {} : { initContainers: complete(initContainers) }),
    ...(account === '' ? {} : { serviceAccountName: account, serviceAccount: account }),
  };
  return pod.spec === undefined ? pod : withFields(pod, { spec: changed });
}

function withPullPolicy(container: unknown): unknown {
  if (!isJsonObject(container) || container.imagePullPolicy !== undefined) return container;
  const image = textField(container, 'image');
  const tag = /:([^/:@]+)(?:@|$)/.exec(image)?.[1] ?? (image.includes('@') ? 'digest' : 'latest');
  return { ...container, imagePullPolicy: tag === 'latest' ? 'Always' : 'IfNotPresent' };
}

const nodeTrouble = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'];

// What the admission plugins of a cluster add: priority, and five minutes for a node in trouble.
function prepareCreate(pod: KubeObject): KubeObject {
  const podSpec = objectField(pod, 'spec');
  const tolerations = listField(podSpec, 'tolerations');
  const added = nodeTrouble
    .filter((key) => !tolerations.some((toleration) => toleration.key === key))
    .map((key) => ({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 }));
  const defaults = { priority: 0, preemptionPolicy: 'PreemptLowerPriority' };
  return withFields(pod, {
    spec: { ...defaults, ...podSpec, tolerations: [...tolerations, ...added] },
    status: { phase: 'Pending', qosClass: qosClass(pod) },
  });
}

function qosClass(pod: KubeObject): string {
  const containers = listField(objectField(pod, 'spec'), 'containers');
  const needs = containers.map((container) => objectField(container, 'resources'));
  const names = needs.flatMap(({ limits, requests }) => [limits, requests]).filter(isJsonObject);
  if (!names.some((quantities) => Object.keys(quantities).length > 0)) return 'BestEffort';
  const isGuaranteed = needs.every((resources) => {
    const limits = objectField(resources, 'limits');
    const { requests = limits } = resources;
    return limits.cpu !== undefined && limits.memory !== undefined && jsonEqual(limits, requests);
  });
  return isGuaranteed ? 'Guaranteed' : 'Burstable';
}

function containerErrors(pod: KubeObject): readonly FieldError[] {
  const podSpec = objectField(pod, 'spec');
  const errors: FieldError[] = [];
  const policies = ['Always', 'OnFailure', 'Never'];
  const policy = textField(podSpec, 'restartPolicy');
  if (listField(podSpec, 'containers').length === 0) {
    errors.push(fieldError('FieldValueRequired', 'spec.containers', 'Required value'));
  }
  if (!policies.includes(policy)) {
    const known = policies.map((name) => `"${name}"`).join(', ');
    const message = `Unsupported value: "${policy}": supported values: ${known}`;
    errors.push(fieldError('FieldValueNotSupported', 'spec.restartPolicy', message));
  }
  for (const field of ['containers', 'initContainers']) {
    for (const [index, container] of listField(podSpec, field).entries()) {
      errors.push(...nameAndImageErrors(container, `spec.${field}[${index}]`));
    }
  }
  return errors;
}

function nameAndImageErrors(container: JsonObject, path: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  const name = textField(container, 'name');
  if (name === '') {
    errors.push(fieldError('FieldValueRequired', `${path}.name`, 'Required value'));
  } else if (!/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(name)) {
    const rule =
      "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and " +
      "must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex " +
      "used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
    const message = `Invalid value: "${name}": ${rule}`;
    errors.push(fieldError('FieldValueInvalid', `${path}.name`, message));
  }
  if (textField(container, 'image') === '') {
    errors.push(fieldError('FieldValueRequired', `${path}.image`, 'Required value'));
  }
  return errors;
}

const changeable: ReadonlySet<string> = new Set([
  'activeDeadlineSeconds',
  'tolerations',
  'terminationGracePeriodSeconds',
  'ephemeralContainers',
  'schedulingGates',
]);

function changeErrors(pod: KubeObject, old: KubeObject | undefined): readonly FieldError[] {
  if (old === undefined) return [];
  if (jsonEqual(fixedPart(pod), fixedPart(old))) return [];
  const message =
    'Forbidden: pod updates may not change fields other than `spec.containers[*].image`,' +
    '`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only ' +
    'additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set ' +
    'to 1 if it was previously negative)';
  return [fieldError('FieldValueForbidden', 'spec', message)];
}

function fixedPart(pod: KubeObject): JsonObject {
  const podSpec = objectField(pod, 'spec');
  const entries = Object.entries(podSpec).filter(([field]) => !changeable.has(field));
  const imageless = (field: string): readonly JsonObject[] =>
    listField(podSpec, field).map((container) => ({ ...container, image: undefined }));
  return {
    ...Object.fromEntries(entries),
    containers: imageless('containers'),
    initContainers: imageless('initContainers'),
  };
}

// A Pod that runs nowhere has nothing to stop, and one that has ended has stopped already.
function gracePeriodSeconds(pod: KubeObject, asked: number | undefined): number {
  const podSpec = objectField(pod, 'spec');
  const phase = textField(objectField(pod, 'status'), 'phase');
  if (textField(podSpec, 'nodeName') === '' || phase === 'Succeeded' || phase === 'Failed')
    return 0;
  const usual = podSpec.terminationGracePeriodSeconds;
  const seconds = asked ?? (typeof usual === 'number' ? usual : 30);
  return Math.max(0, seconds);
}
