import type { FieldSchema } from './field-schema.ts';
import { podSettingsMax } from './limits.ts';

/** What brings the Instances of a Function to life in a cluster. */
const executors = ['auto', 'pool', 'deployment'] as const;

/** Name of an executor, as `spec.executor` has it. */
export type ExecutorName = (typeof executors)[number];

/**
 * What the Pods of a Function have besides what all have; each field as core/v1 PodSpec has it.
 * The API of the cluster checks what is inside.
 */
export interface PodSettings {
  readonly nodeSelector?: Readonly<Record<string, string>>;
  readonly affinity?: unknown;
  readonly tolerations?: readonly unknown[];
  readonly topologySpreadConstraints?: readonly unknown[];
  readonly runtimeClassName?: string;
  readonly priorityClassName?: string;
  readonly schedulerName?: string;
  readonly imagePullSecrets?: readonly unknown[];
  readonly hostAliases?: readonly unknown[];
  readonly dnsPolicy?: string;
  readonly dnsConfig?: unknown;
  readonly securityContext?: PodUserSettings;
}

/** Who the processes of a Pod are: the part of core/v1 PodSecurityContext that is free. */
export interface PodUserSettings {
  readonly runAsUser?: number;
  readonly runAsGroup?: number;
  readonly fsGroup?: number;
  readonly supplementalGroups?: readonly number[];
}

const inCluster = 'An embedded Fnlet, which runs processes, takes no notice of it.';

function objectName(description: string): FieldSchema<string> {
  return { type: 'string', description, minLength: 1, maxLength: 253 };
}

function id(description: string, minimum: number): FieldSchema<number> {
  return { type: 'integer', format: 'int64', description, minimum, maximum: 2_147_483_647 };
}

function anything(description: string): FieldSchema<unknown> {
  return { type: 'object', description, 'x-kubernetes-preserve-unknown-fields': true };
}

function list(description: string, item: string): FieldSchema<readonly unknown[]> {
  return {
    type: 'array',
    description,
    items: anything(item),
    maxItems: podSettingsMax,
    'x-kubernetes-list-type': 'atomic',
  };
}

/** Schema of `spec.executor`. */
export const executorSchema: FieldSchema<ExecutorName> = {
  type: 'string',
  description:
    'What runs it in a cluster. pool: a warm Pod that waits without code is given it, within ' +
    'milliseconds. deployment: each Revision has a Deployment of its own, whose Pods take seconds ' +
    'to start. auto, the default, is pool, unless something is asked for that a running Pod cannot ' +
    'take: mounts, serviceAccountName, resources, imageOverride or pod. The condition ExecutorReady ' +
    `says which it is, and why. ${inCluster}`,
  enum: executors,
};

/** Schema of `spec.development`. */
export const developmentSchema: FieldSchema<boolean> = {
  type: 'boolean',
  description:
    'Whether its code is being worked on, in a cluster: where it would have a Deployment for each ' +
    'Revision, one more Pod of it waits without code, which a new Revision is given within ' +
    'milliseconds. It costs what a Pod of the function asks for. fnlet dev sets it, and takes it ' +
    'back at its end; it counts until the time that the annotation fnlet.dev/development-until ' +
    `names, where there is one. ${inCluster}`,
};

/** Schema of `spec.imageOverride`. */
export const imageOverrideSchema: FieldSchema<string> = {
  type: 'string',
  description:
    'Image of its Pods in a cluster, such as one with programs that the function calls. It needs ' +
    'the program of its runtime on the path: node, or python3, of that release. Default: the ' +
    `stock image of the runtime. ${inCluster}`,
  minLength: 1,
  maxLength: 512,
  pattern: '^[^\\s]+$',
};

/** Schema of `spec.pod`. */
export const podSchema: FieldSchema<PodSettings> = {
  type: 'object',
  description:
    'What its Pods have besides in a cluster: where they run, and as whom. Fields are those of a ' +
    `Pod. ${inCluster}`,
  properties: {
    nodeSelector: {
      type: 'object',
      description: 'Labels that a node must have.',
      additionalProperties: { type: 'string', description: 'The value.' },
      maxProperties: podSettingsMax,
    },
    affinity: anything('Which nodes and neighbours it prefers or needs (core/v1 Affinity).'),
    tolerations: list('Taints of nodes that it tolerates.', 'One toleration (core/v1 Toleration).'),
    topologySpreadConstraints: list(
      'How its Pods spread over zones or nodes.',
      'One constraint (core/v1 TopologySpreadConstraint).',
    ),
    runtimeClassName: objectName(
      'The RuntimeClass that its Pods run with, such as one for gVisor or Kata Containers.',
    ),
    priorityClassName: objectName('The PriorityClass of its Pods. Default: that of the cluster.'),
    schedulerName: objectName('The scheduler that places its Pods. Default: that of the cluster.'),
    imagePullSecrets: list(
      'Secrets of its namespace that imageOverride is pulled with.',
      'One Secret: its name (core/v1 LocalObjectReference).',
    ),
    hostAliases: list(
      'Names that its Pods find in /etc/hosts.',
      'One address (core/v1 HostAlias).',
    ),
    dnsPolicy: {
      type: 'string',
      description: 'How its Pods resolve names. Default: ClusterFirst.',
      enum: ['ClusterFirst', 'Default', 'None'],
    },
    dnsConfig: anything('Servers and search domains (core/v1 PodDNSConfig).'),
    securityContext: {
      type: 'object',
      description:
        'Who its processes are. The rest of a security context is not free: Pods of functions fit ' +
        'the profile "restricted" of the Pod Security Standards.',
      properties: {
        runAsUser: id('The user, not root. Default: 65532.', 1),
        runAsGroup: id('The group. Default: 65532.', 0),
        fsGroup: id('The group that volumes belong to. Default: 65532.', 0),
        supplementalGroups: {
          type: 'array',
          description: 'More groups.',
          items: id('A group.', 0),
          maxItems: podSettingsMax,
          'x-kubernetes-list-type': 'atomic',
        },
      },
    },
  },
};
