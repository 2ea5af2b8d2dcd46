import { isJsonObject, type JsonObject } from '@fnlet/base';
import type { FieldError } from '@fnlet/machinery';
import { listField, textField } from '../../object/object-form.ts';
import { givenIpAddress, ipAddress, labelKey, labels, named, quantities } from '../form.ts';
import { forbidden, invalid, missing } from '../refusal.ts';
import {
  about,
  all,
  atMostItems,
  between,
  child,
  each,
  fields,
  isUnset,
  oneOf,
  type Rule,
  required,
  uniqueBy,
  whenSet,
} from '../rule.ts';
import {
  ephemeralContainerErrors,
  initContainerErrors,
  mainContainerErrors,
} from './container-rule.ts';
import { resourceName, resourceRequirements } from './resource-rule.ts';
import { affinity, spreading, tolerations } from './scheduling-rule.ts';
import { podSecurity } from './security-rule.ts';
import { readVolumes } from './volume-rule.ts';

const int32Max = 2_147_483_647;
const nameserversMax = 3;
const searchesMax = 32;

const searchLabel = '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?';
const searchName = `${searchLabel}(\\.${searchLabel})*`;
const searchPattern = new RegExp(`^${searchName}$`);

/** A domain that names are looked up in; `.` alone is the root. */
const searchDomain: Rule = (value, path) => {
  const text = String(value).replace(/(.)\.$/, '$1');
  if (text === '.' || searchPattern.test(text)) return [];
  const problem =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' " +
    "or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex " +
    `used for validation is '${searchName}')`;
  return [invalid(path, text, problem)];
};

const dnsConfig = whenSet(
  fields({
    nameservers: all(atMostItems(nameserversMax), each(ipAddress)),
    searches: all(atMostItems(searchesMax), each(searchDomain)),
    options: each((value, path) =>
      isUnset(isJsonObject(value) ? value.name : undefined)
        ? [missing(path, 'must not be empty')]
        : [],
    ),
  }),
);

/** Without the cluster's names a Pod must bring its own (dnsPolicy None). */
const ownNames: Rule = about(({ dnsPolicy, dnsConfig: config }, path) => {
  if (dnsPolicy !== 'None') return [];
  const at = child(path, 'dnsConfig');
  if (config === undefined) {
    return [missing(at, 'must provide `dnsConfig` when `dnsPolicy` is None')];
  }
  const why = 'must provide at least one DNS nameserver when `dnsPolicy` is None';
  return fields({ nameservers: required(undefined, why) })(config, at);
});

/** What is true of each field by itself; in the order in which Kubernetes looks. */
const fieldRules: Rule = fields({
  restartPolicy: required(oneOf('Always', 'OnFailure', 'Never')),
  dnsPolicy: required(oneOf('ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None')),
  nodeSelector: labels,
  securityContext: podSecurity,
  affinity,
  dnsConfig,
  readinessGates: each(fields({ conditionType: labelKey })),
  schedulingGates: all(each(about(({ name }, path) => labelKey(name, path))), uniqueBy('name')),
  topologySpreadConstraints: spreading,
  serviceAccountName: named('dns1123Subdomain'),
  nodeName: named('dns1123Subdomain'),
  activeDeadlineSeconds: between(1, int32Max),
  hostname: named('dns1123Label'),
  subdomain: named('dns1123Label'),
  tolerations,
  hostAliases: each(fields({ ip: givenIpAddress, hostnames: each(named('dns1123Subdomain')) })),
  priorityClassName: named('dns1123Subdomain'),
  runtimeClassName: named('dns1123Subdomain'),
  preemptionPolicy: oneOf('PreemptLowerPriority', 'Never'),
  overhead: quantities(resourceName),
  os: whenSet(about(({ name }, path) => required(oneOf('linux', 'windows'))(name, path))),
  resources: whenSet(resourceRequirements),
});

/**
 * On the node's own network a port of the container is a port of the node. The template of a Pod
 * need not say so.
 */
function hostNetworkErrors(podSpec: JsonObject, path: string): FieldError[] {
  if (podSpec.hostNetwork !== true) return [];
  return listField(podSpec, 'containers').flatMap((container, i) =>
    listField(container, 'ports').flatMap(({ containerPort, hostPort }, j) => {
      if (isUnset(hostPort) || hostPort === 0 || containerPort === hostPort) return [];
      const text = 'must match `containerPort` when `hostNetwork` is true';
      return [invalid(`${path}.containers[${i}].ports[${j}].hostPort`, hostPort, text)];
    }),
  );
}

function gateErrors(podSpec: JsonObject, path: string): FieldError[] {
  const isGated = listField(podSpec, 'schedulingGates').length > 0;
  if (!isGated || textField(podSpec, 'nodeName') === '') return [];
  const why = 'cannot be set until all schedulingGates have been cleared';
  return [forbidden(child(path, 'nodeName'), why)];
}

// Told where Kubernetes keeps both: in its own security context.
function sharedProcessErrors(podSpec: JsonObject, path: string): FieldError[] {
  if (podSpec.hostPID !== true || podSpec.shareProcessNamespace !== true) return [];
  const why = 'ShareProcessNamespace and HostPID cannot both be enabled';
  return [invalid(`${path}.securityContext.shareProcessNamespace`, true, why)];
}

/** core/v1 PodSpec, in a Pod or in the template of one. */
export const podSpecRule: Rule = about((podSpec, path) => {
  const { errors, volumes } = readVolumes(podSpec, child(path, 'volumes'));
  return [
    ...errors,
    ...mainContainerErrors(podSpec, path, volumes),
    ...initContainerErrors(podSpec, path, volumes),
    ...ephemeralContainerErrors(podSpec, path, volumes),
    ...hostNetworkErrors(podSpec, path),
    ...sharedProcessErrors(podSpec, path),
    ...fieldRules(podSpec, path),
    ...ownNames(podSpec, path),
    ...gateErrors(podSpec, path),
  ];
});

/** The containers of a Pod that debug its others, by themselves. */
export const ephemeralContainersRule: Rule = about((podSpec, path) => {
  const { volumes } = readVolumes(podSpec, child(path, 'volumes'));
  return ephemeralContainerErrors(podSpec, path, volumes);
});
