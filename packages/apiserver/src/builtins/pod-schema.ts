import type { JsonSchema } from '@fnlet/machinery';
import { mergedList } from '../patch/patch-annotations.ts';
import { containerSchema } from './container-schema.ts';
import {
  anything,
  condition,
  flag,
  integer,
  list,
  localReference,
  long,
  object,
  quantities,
  text,
  textMap,
  texts,
  time,
} from './schema-words.ts';

const named = (description: string): JsonSchema =>
  mergedList(containerSchema, 'name', { description });

const toleration = object('A taint that is no reason to stay away.', {
  key: text('Key of the taint.'),
  operator: text('Exists or Equal.'),
  value: text('Value of the taint.'),
  effect: text('NoSchedule, PreferNoSchedule or NoExecute.'),
  tolerationSeconds: long('For how long.'),
});

// A volume is a name and one of many sources; what is in a source is for whoever mounts it.
const volume: JsonSchema = {
  ...object('A volume of the Pod.', { name: text('Name of the volume.') }),
  'x-kubernetes-preserve-unknown-fields': true,
};

/** core/v1 PodSpec. */
export const podSpecSchema: JsonSchema = object('What runs, and how.', {
  containers: named('The containers; at least one.'),
  initContainers: named('Containers that run before the others, one by one.'),
  ephemeralContainers: named('Containers that were added for debugging.'),
  restartPolicy: text('Always, OnFailure or Never.'),
  terminationGracePeriodSeconds: long('How long it has to stop.'),
  activeDeadlineSeconds: long('How long it may run.'),
  dnsPolicy: text('How names are resolved.'),
  dnsConfig: anything('More about names.'),
  nodeSelector: textMap('Labels of nodes.', { 'x-kubernetes-map-type': 'atomic' }),
  nodeName: text('The node that it runs on.'),
  serviceAccountName: text('Who it acts as.'),
  serviceAccount: text('Deprecated name of serviceAccountName.'),
  automountServiceAccountToken: flag('Whether it gets a token.'),
  hostNetwork: flag("Whether it shares the node's network."),
  hostPID: flag("Whether it sees the node's processes."),
  hostIPC: flag("Whether it shares the node's IPC."),
  hostUsers: flag("Whether it shares the node's users."),
  shareProcessNamespace: flag('Whether containers see each other.'),
  securityContext: anything('What the processes may do.'),
  imagePullSecrets: mergedList(localReference('A secret.'), 'name', {
    description: 'Secrets for pulling images.',
  }),
  hostname: text('Host name of the Pod.'),
  hostnameOverride: text('Host name of the Pod, whatever its domain.'),
  subdomain: text('Domain of the Pod.'),
  setHostnameAsFQDN: flag('Whether the host name is the full name.'),
  affinity: anything('Where it wants to be.'),
  schedulerName: text('Who places it.'),
  tolerations: list('Taints that are no reason to stay away.', toleration),
  hostAliases: mergedList(
    object('Names of an address.', { ip: text('The address.'), hostnames: texts('Its names.') }),
    'ip',
    { description: 'More entries of the hosts file.' },
  ),
  priorityClassName: text('How important it is, by name.'),
  priority: integer('How important it is.'),
  preemptionPolicy: text('Whether others give way.'),
  readinessGates: list(
    'Conditions that count for being ready.',
    object('A condition.', { conditionType: text('Its type.') }),
  ),
  runtimeClassName: text('What runs it.'),
  enableServiceLinks: flag('Whether services become variables.'),
  overhead: quantities('What running it costs.'),
  topologySpreadConstraints: mergedList(
    {
      ...object('How it spreads.', { topologyKey: text('Over what.') }),
      properties: {
        topologyKey: text('Over what it spreads.'),
        whenUnsatisfiable: text('What happens when it cannot.'),
      },
      'x-kubernetes-preserve-unknown-fields': true,
    },
    'topologyKey',
    {
      description: 'How Pods of a kind spread.',
      mapKeys: ['topologyKey', 'whenUnsatisfiable'],
    },
  ),
  os: object('Its operating system.', { name: text('linux or windows.') }),
  schedulingGates: mergedList(object('A gate.', { name: text('Its name.') }), 'name', {
    description: 'What it waits for before it is placed.',
  }),
  resourceClaims: mergedList(
    {
      ...object('A claim.', { name: text('Its name.') }),
      'x-kubernetes-preserve-unknown-fields': true,
    },
    'name',
    { description: 'Claims of the Pod.' },
  ),
  resources: anything('What the whole Pod needs.'),
  volumes: {
    ...mergedList(volume, 'name', { description: 'Volumes of the Pod.' }),
    ...{ 'x-kubernetes-patch-strategy': 'merge,retainKeys' },
  },
});

const runState = (description: string): JsonSchema =>
  object(description, {
    waiting: object('It does not run yet.', {
      reason: text('Why, in one word.'),
      message: text('Why, for people.'),
    }),
    running: object('It runs.', { startedAt: time('Since when.') }),
    terminated: object('It has ended.', {
      exitCode: integer('What it ended with.'),
      signal: integer('The signal that ended it.'),
      reason: text('Why, in one word.'),
      message: text('Why, for people.'),
      startedAt: time('When it began.'),
      finishedAt: time('When it ended.'),
      containerID: text('Which run it was.'),
    }),
  });

const containerStatus: JsonSchema = object('State of a container.', {
  name: text('Name of the container.'),
  state: runState('What it does now.'),
  lastState: runState('How its run before ended.'),
  ready: flag('Whether it can take traffic.'),
  restartCount: integer('How often it was restarted.'),
  image: text('What runs.'),
  imageID: text('What runs, exactly.'),
  containerID: text('Which run it is.'),
  started: flag('Whether it has started.'),
  allocatedResources: quantities('What it was given.'),
  resources: anything('What it was given, in full.'),
  volumeMounts: list('Its volumes.', anything('A volume.')),
  user: anything('Who it runs as.'),
  allocatedResourcesStatus: list('State of its devices.', anything('A device.')),
  stopSignal: text('The signal that stops it.'),
});

const address = object('An address.', { ip: text('The address.') });

/** core/v1 PodStatus. */
export const podStatusSchema: JsonSchema = object('State of the Pod.', {
  phase: text('Pending, Running, Succeeded, Failed or Unknown.'),
  observedGeneration: long('The generation that this was said about.'),
  conditions: mergedList(
    condition({ lastProbeTime: time('When it was last looked at.') }),
    'type',
    {
      description: 'Conditions of the Pod.',
    },
  ),
  message: text('Why, for people.'),
  reason: text('Why, in one word.'),
  nominatedNodeName: text('The node that is being cleared for it.'),
  hostIP: text('Address of the node.'),
  hostIPs: list('Addresses of the node.', address),
  podIP: text('Address of the Pod.'),
  podIPs: mergedList(address, 'ip', { description: 'Addresses of the Pod.' }),
  startTime: time('When it was accepted.'),
  initContainerStatuses: list('State of the init containers.', containerStatus),
  containerStatuses: list('State of the containers.', containerStatus),
  ephemeralContainerStatuses: list('State of the debugging containers.', containerStatus),
  qosClass: text('Guaranteed, Burstable or BestEffort.'),
  resize: text('State of a change of resources.'),
  resourceClaimStatuses: list('State of the claims.', anything('A claim.')),
  extendedResourceClaimStatus: anything('State of the extended resources.'),
});
