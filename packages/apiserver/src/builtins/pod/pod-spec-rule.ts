import type { JsonObject } from '@fnlet/base';
import type { FieldError } from '@fnlet/machinery';
import { listField, textField } from '../../object/object-form.ts';
import { ipAddress, labels, named, qualifiedName, quantities } from '../form.ts';
import { forbidden, invalid, missing } from '../refusal.ts';
import {
  about,
  all,
  atMostItems,
  between,
  child,
  each,
  fields,
  must,
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

const dnsName = must(
  (text) => named('dns1123Subdomain')(String(text).replace(/\.$/, ''), '').length === 0,
  'a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters',
);

const dnsConfig = whenSet(
  fields({
    nameservers: all(atMostItems(nameserversMax), each(ipAddress)),
    searches: all(atMostItems(searchesMax), each(dnsName)),
    options: each(fields({ name: required() })),
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
  imagePullSecrets: each(fields({ name: required() })),
  affinity,
  dnsConfig,
  readinessGates: each(fields({ conditionType: required(qualifiedName) })),
  schedulingGates: all(each(fields({ name: required(qualifiedName) })), uniqueBy('name')),
  topologySpreadConstraints: spreading,
  serviceAccountName: named('dns1123Subdomain'),
  nodeName: named('dns1123Subdomain'),
  activeDeadlineSeconds: between(1, int32Max),
  hostname: named('dns1123Label'),
  subdomain: named('dns1123Label'),
  tolerations,
  hostAliases: each(
    fields({ ip: required(ipAddress), hostnames: each(named('dns1123Subdomain')) }),
  ),
  priorityClassName: named('dns1123Subdomain'),
  runtimeClassName: named('dns1123Subdomain'),
  preemptionPolicy: oneOf('PreemptLowerPriority', 'Never'),
  overhead: quantities(resourceName),
  os: whenSet(fields({ name: required(oneOf('linux', 'windows')) })),
  resources: whenSet(resourceRequirements),
});

/** On the node's own network a port of the container is a port of the node. */
function hostNetworkErrors(podSpec: JsonObject, path: string): FieldError[] {
  if (podSpec.hostNetwork !== true) return [];
  return listField(podSpec, 'containers').flatMap((container, i) =>
    listField(container, 'ports').flatMap(({ containerPort, hostPort }, j) => {
      if (containerPort === hostPort) return [];
      const text = 'must match `hostPort` when `hostNetwork` is true';
      const at = `${path}.containers[${i}].ports[${j}].containerPort`;
      return [invalid(at, containerPort, text)];
    }),
  );
}

function gateErrors(podSpec: JsonObject, path: string): FieldError[] {
  const isGated = listField(podSpec, 'schedulingGates').length > 0;
  if (!isGated || textField(podSpec, 'nodeName') === '') return [];
  const why = 'cannot be set until all schedulingGates have been cleared';
  return [forbidden(child(path, 'nodeName'), why)];
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
