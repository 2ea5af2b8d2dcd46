import { type EnvVar, type Mount, type RevisionTemplate, resolveResources } from '@fnlet/api';
import type { KubeObject } from '@fnlet/machinery';

/** What the manifests of an ejected function are made of. */
export interface ManifestsInput {
  /** Name of the Deployment, of the Service and of the image. */
  readonly name: string;
  readonly template: RevisionTemplate;
  readonly replicas: number;
  readonly drainSeconds: number;
}

/** The port that the server listens on in its container. */
export const containerPort = 8080;

// How long Kubernetes gives a container beyond the time that the Runner takes to drain.
const graceSeconds = 5;

/** A Deployment that runs the image as Fnlet ran the function, but for sleeping. */
export function planDeployment(input: ManifestsInput): KubeObject {
  const { name, template, replicas, drainSeconds } = input;
  const { labels, annotations, serviceAccountName, mounts = [], pod = {} } = template;
  const { securityContext: user, ...settings } = pod;
  const selector = selectorOf(name);
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, labels: selector },
    spec: {
      replicas,
      selector: { matchLabels: selector },
      template: {
        metadata: {
          labels: { ...labels, ...selector },
          ...(annotations === undefined ? {} : { annotations }),
        },
        spec: {
          ...settings,
          ...(serviceAccountName === undefined
            ? { automountServiceAccountToken: false }
            : { serviceAccountName }),
          terminationGracePeriodSeconds: drainSeconds + graceSeconds,
          securityContext: {
            runAsNonRoot: true,
            runAsUser: 1000,
            runAsGroup: 1000,
            fsGroup: 1000,
            ...user,
            seccompProfile: { type: 'RuntimeDefault' },
          },
          containers: [planContainer(input)],
          volumes: [{ name: 'tmp', emptyDir: {} }, ...mounts.map(planVolume)],
        },
      },
    },
  };
}

/** A Service on port 80 in front of it. */
export function planService(name: string): KubeObject {
  const selector = selectorOf(name);
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, labels: selector },
    spec: { selector, ports: [{ name: 'http', port: 80, targetPort: 'http', protocol: 'TCP' }] },
  };
}

function selectorOf(name: string): Readonly<Record<string, string>> {
  return { 'app.kubernetes.io/name': name };
}

function planContainer({ name, template }: ManifestsInput): object {
  const { env = [], envFrom, resources, mounts = [] } = template;
  const probe = (path: string): object => ({ httpGet: { path, port: 'http' } });
  return {
    name: 'function',
    image: `${name}:1`,
    ports: [{ name: 'http', containerPort }],
    ...(env.length === 0 ? {} : { env: env.map(planVariable) }),
    ...(envFrom === undefined ? {} : { envFrom }),
    ...(resources === undefined ? {} : { resources: planResources(template) }),
    startupProbe: { ...probe('/readyz'), periodSeconds: 1, failureThreshold: 60 },
    readinessProbe: { ...probe('/readyz'), periodSeconds: 5 },
    livenessProbe: { ...probe('/healthz'), periodSeconds: 10 },
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    },
    volumeMounts: [
      { name: 'tmp', mountPath: '/tmp' },
      ...mounts.map(({ path }, index) => ({
        name: volumeName(index),
        mountPath: path,
        readOnly: true,
      })),
    ],
  };
}

function planResources({ resources }: RevisionTemplate): object {
  const { requests, limits } = resolveResources(resources);
  return { requests, limits };
}

/**
 * Kubernetes expands `$(NAME)` in values and reads `$$` as `$` (core/v1 EnvVar); Fnlet takes them as
 * they are.
 */
function planVariable({ name, value, valueFrom }: EnvVar): object {
  if (valueFrom !== undefined) return { name, valueFrom };
  const isExpanded = /\$[$(]/.test(value ?? '');
  return { name, value: isExpanded ? value?.replaceAll('$', '$$$$') : (value ?? '') };
}

function planVolume(mount: Mount, index: number): object {
  const { secret, configMap, items, optional, defaultMode } = mount;
  const how = {
    ...(items === undefined ? {} : { items }),
    ...(optional === undefined ? {} : { optional }),
    ...(defaultMode === undefined ? {} : { defaultMode }),
  };
  const name = volumeName(index);
  return secret === undefined
    ? { name, configMap: { name: configMap, ...how } }
    : { name, secret: { secretName: secret, ...how } };
}

function volumeName(index: number): string {
  return `mount-${index + 1}`;
}
