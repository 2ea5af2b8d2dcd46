/** What Pods of Fnlet's own parts have in common: all that the profile "restricted" asks for. */
import { clusterPorts } from '@fnlet/server/cluster/names';
import { choose, type Template, type TemplateFields, text, value } from './manifest-template.ts';

/** A part of the installation that runs as Pods. */
export type PartName = 'controller' | 'gateway';

/** The bundle that Pods unpack, where there is no image of Fnlet. */
export interface BundleNames {
  /** ConfigMaps with its pieces, in their order; each has the key `piece`. */
  readonly pieces: readonly string[];
  /** Program that joins them, to be run by `node -e`. */
  readonly unpack: string;
}

export interface PodTerms {
  readonly part: PartName;
  readonly name: string;
  readonly labels: TemplateFields;
  readonly env: readonly Template[];
  readonly ports: readonly Template[];
  readonly volumes: readonly Template[];
  readonly mounts: readonly Template[];
  readonly drainSeconds: number;
  readonly bundle?: BundleNames | undefined;
}

/** Where the command lies in images and bundles. */
export const programFile = '/fnlet/packages/cli/bin/fnlet.js';

/** Image of Node that bundles run on. */
export const nodeImage = 'node:24-slim';

/** User of the Pods; nobody in images of Node and Python. */
const userId = 65_532;

const locked: TemplateFields = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ['ALL'] },
};

/** The template of a Deployment's Pods. */
export function planPod(terms: PodTerms): TemplateFields {
  const { part, name, labels, bundle, volumes } = terms;
  return {
    metadata: { labels },
    spec: {
      serviceAccountName: name,
      automountServiceAccountToken: true,
      enableServiceLinks: false,
      priorityClassName: choose('priorityClass', value('namespace')),
      terminationGracePeriodSeconds: terms.drainSeconds + 10,
      imagePullSecrets: choose('imagePullSecrets', value('imagePullSecrets')),
      nodeSelector: choose(`${part}.nodeSelector`, value(`${part}.nodeSelector`)),
      tolerations: choose(`${part}.tolerations`, value(`${part}.tolerations`)),
      topologySpreadConstraints: ['kubernetes.io/hostname', 'topology.kubernetes.io/zone'].map(
        (topologyKey) => ({
          maxSkew: 1,
          topologyKey,
          whenUnsatisfiable: 'ScheduleAnyway',
          labelSelector: { matchLabels: labels },
        }),
      ),
      securityContext: {
        runAsNonRoot: true,
        runAsUser: userId,
        runAsGroup: userId,
        fsGroup: userId,
        seccompProfile: { type: 'RuntimeDefault' },
      },
      initContainers: bundle === undefined ? undefined : [planUnpacking(bundle)],
      containers: [planContainer(terms)],
      volumes: [
        { name: 'tmp', emptyDir: {} },
        ...volumes,
        ...(bundle === undefined ? [] : planBundleVolumes(bundle)),
      ],
    },
  };
}

function planContainer({ part, env, ports, mounts, bundle }: PodTerms): TemplateFields {
  return {
    name: part,
    image: bundle === undefined ? value('image') : stockNode,
    imagePullPolicy: value('imagePullPolicy'),
    command: ['node', programFile],
    args: [part],
    env: [
      // Compiled code is kept between runs there, and npm keeps its own.
      { name: 'HOME', value: '/tmp' },
      { name: 'FNLET_SYSTEM_NAMESPACE', value: value('namespace') },
      { name: 'FNLET_REPLICA', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
      { name: 'FNLET_LOG_LEVEL', value: value('logLevel') },
      { name: 'FNLET_BODY_LIMIT', value: value('bodyLimit') },
      ...env,
    ],
    ports: [...ports, { name: 'health', containerPort: clusterPorts.health, protocol: 'TCP' }],
    startupProbe: probe('/healthz', { periodSeconds: 2, failureThreshold: 60 }),
    readinessProbe: probe('/readyz', { periodSeconds: 5, failureThreshold: 3 }),
    livenessProbe: probe('/healthz', { periodSeconds: 10, failureThreshold: 6 }),
    // Whoever routes to this Pod hears of its end before it stops taking calls.
    lifecycle: part === 'gateway' ? { preStop: { exec: { command: ['sleep', '5'] } } } : undefined,
    resources: {
      requests: { cpu: value(`${part}.cpu`), memory: value(`${part}.memory`) },
      limits: { memory: value(`${part}.memoryLimit`) },
    },
    securityContext: locked,
    volumeMounts: [
      { name: 'tmp', mountPath: '/tmp' },
      ...mounts,
      ...(bundle === undefined ? [] : [{ name: 'program', mountPath: '/fnlet', readOnly: true }]),
    ],
  };
}

function probe(path: string, times: TemplateFields): TemplateFields {
  return { httpGet: { path, port: 'health' }, timeoutSeconds: 5, ...times };
}

const stockNode = choose('registry', text(value('registry'), `/${nodeImage}`), nodeImage);

function planUnpacking({ pieces, unpack }: BundleNames): TemplateFields {
  return {
    name: 'unpack',
    image: stockNode,
    imagePullPolicy: value('imagePullPolicy'),
    command: ['node', '-e', unpack],
    args: ['/fnlet', ...pieces.map((_, index) => `/pieces/${index}/piece`)],
    resources: { requests: { cpu: '100m', memory: '128Mi' }, limits: { memory: '256Mi' } },
    securityContext: locked,
    volumeMounts: [
      { name: 'program', mountPath: '/fnlet' },
      ...pieces.map((_, index) => ({
        name: `piece-${index}`,
        mountPath: `/pieces/${index}`,
        readOnly: true,
      })),
    ],
  };
}

function planBundleVolumes({ pieces }: BundleNames): readonly Template[] {
  return [
    { name: 'program', emptyDir: {} },
    ...pieces.map((name, index) => ({ name: `piece-${index}`, configMap: { name } })),
  ];
}
