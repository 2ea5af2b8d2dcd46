import type { JsonObject } from '@fnlet/base';
import type { FieldError } from '@fnlet/machinery';
import { listField, textField } from '../../object/object-form.ts';
import { named, portName, portNumber, protocol } from '../form.ts';
import { duplicate, forbidden, missing, unknownReference } from '../refusal.ts';
import {
  all,
  child,
  each,
  fields,
  isUnset,
  must,
  oneOf,
  type Rule,
  required,
  uniqueBy,
} from '../rule.ts';
import { environment, environmentSources } from './environment-rule.ts';
import { lifecycle, readinessProbe, restartingProbe, withoutProbes } from './probe-rule.ts';
import { resourceRequirements } from './resource-rule.ts';
import { containerSecurity } from './security-rule.ts';
import { deviceErrors, mountErrors, type Volumes } from './volume-rule.ts';

const portRequired: Rule = (value, path) =>
  isUnset(value) || value === 0 ? [missing(path)] : portNumber(value, path);
const portUnlessZero: Rule = (value, path) => (value === 0 ? [] : portNumber(value, path));

const portRule: Rule = fields({
  name: portName,
  containerPort: portRequired,
  hostPort: portUnlessZero,
  protocol: required(protocol),
});

const ports: Rule = all(each(portRule), uniqueBy('name'));

const pullPolicy = required(oneOf('Always', 'IfNotPresent', 'Never'));

const untrimmed = must(
  (image) => typeof image !== 'string' || image.trim() === image,
  'must not have leading or trailing whitespace',
);

/** What is true of each container by itself; in the order in which Kubernetes looks. */
const containerFields: Rule = fields({
  name: required(named('dns1123Label')),
  image: required(untrimmed),
  lifecycle,
  livenessProbe: restartingProbe,
  startupProbe: restartingProbe,
  terminationMessagePolicy: required(oneOf('File', 'FallbackToLogsOnError')),
  readinessProbe,
  ports,
  env: environment,
  envFrom: environmentSources,
  imagePullPolicy: pullPolicy,
  resources: resourceRequirements,
  securityContext: containerSecurity,
  restartPolicy: oneOf('Always', 'Never', 'OnFailure'),
});

function containerErrors(container: JsonObject, path: string, volumes: Volumes): FieldError[] {
  return [
    ...containerFields(container, path),
    ...mountErrors(container, path, volumes),
    ...deviceErrors(container, path, volumes),
  ];
}

/** The containers of a Pod: at least one, each under its own name, no host port taken twice. */
export function mainContainerErrors(
  podSpec: JsonObject,
  path: string,
  volumes: Volumes,
): readonly FieldError[] {
  const at = child(path, 'containers');
  const containers = listField(podSpec, 'containers');
  if (containers.length === 0) return [missing(at)];
  return [
    ...containers.flatMap((container, i) => containerErrors(container, `${at}[${i}]`, volumes)),
    ...uniqueBy('name')(containers, at),
    ...hostPortErrors(containers, at),
  ];
}

/** The containers that run before the others; they are not probed unless they stay. */
export function initContainerErrors(
  podSpec: JsonObject,
  path: string,
  volumes: Volumes,
): readonly FieldError[] {
  const at = child(path, 'initContainers');
  const taken = new Set(listField(podSpec, 'containers').map(({ name }) => name));
  return listField(podSpec, 'initContainers').flatMap((container, index) => {
    const here = `${at}[${index}]`;
    const errors = containerErrors(container, here, volumes);
    const name = textField(container, 'name');
    if (name !== '' && taken.has(name)) errors.push(duplicate(`${here}.name`, name));
    taken.add(name);
    if (container.restartPolicy === 'Always') return errors;
    const why = 'may not be set for init containers without restartPolicy=Always';
    return [...errors, ...withoutProbes(container, here, why)];
  });
}

/** What a container that debugs others cannot have: it holds no resources, and nobody restarts it. */
const absentFromEphemeral = [
  'ports',
  'resources',
  'resizePolicy',
  'restartPolicy',
  'restartPolicyRules',
  'lifecycle',
  'livenessProbe',
  'readinessProbe',
  'startupProbe',
];

/** Containers that debug others (kubernetes, validateEphemeralContainers). */
export function ephemeralContainerErrors(
  podSpec: JsonObject,
  path: string,
  volumes: Volumes,
): FieldError[] {
  const at = child(path, 'ephemeralContainers');
  const others = ['containers', 'initContainers'].flatMap((field) => listField(podSpec, field));
  const taken = new Set(others.map(({ name }) => name));
  const why = 'cannot be set for an Ephemeral Container';
  return listField(podSpec, 'ephemeralContainers').flatMap((container, index) => {
    const here = `${at}[${index}]`;
    const errors = containerErrors(withoutFields(container, absentFromEphemeral), here, volumes);
    if (taken.has(container.name)) errors.push(duplicate(`${here}.name`, container.name));
    taken.add(container.name);
    const target = textField(container, 'targetContainerName');
    if (target !== '' && !others.some(({ name }) => name === target)) {
      errors.push(unknownReference(`${here}.targetContainerName`, target));
    }
    for (const field of absentFromEphemeral) {
      if (isSet(container[field])) errors.push(forbidden(child(here, field), why));
    }
    for (const [place, mount] of listField(container, 'volumeMounts').entries()) {
      for (const field of ['subPath', 'subPathExpr']) {
        if (!isSet(mount[field])) continue;
        errors.push(forbidden(`${here}.volumeMounts[${place}].${field}`, why));
      }
    }
    return errors;
  });
}

function withoutFields(container: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(container).filter(([name]) => !names.includes(name)));
}

function isSet(value: unknown): boolean {
  if (isUnset(value)) return false;
  return typeof value !== 'object' || value === null || Object.keys(value).length > 0;
}

function hostPortErrors(containers: readonly JsonObject[], path: string): FieldError[] {
  const taken = new Set<string>();
  return containers.flatMap((container, i) =>
    listField(container, 'ports').flatMap((port, j) => {
      const { hostPort = 0, hostIP = '', protocol: via = 'TCP' } = port;
      if (hostPort === 0 || hostPort === null) return [];
      const key = `${String(via)}/${String(hostIP)}/${String(hostPort)}`;
      if (taken.has(key)) return [duplicate(`${path}[${i}].ports[${j}].hostPort`, key)];
      taken.add(key);
      return [];
    }),
  );
}
