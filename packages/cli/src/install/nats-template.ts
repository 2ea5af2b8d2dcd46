/** NATS with JetStream for the events of an installation, from its stock image. */
import { clusterNames } from '@fnlet/server/cluster/names';
import { installationLabels } from './installation-labels.ts';
import {
  choose,
  type ManifestTemplate,
  type Template,
  type TemplateFields,
  text,
  value,
} from './manifest-template.ts';

/** What its objects are called, its Secret included. */
export const natsName = 'fnlet-nats';

/** User that it knows. */
export const natsUser = 'fnlet';

/** Where its servers answer, by the names that its Service has for them. */
export const natsPorts = { client: 4222, cluster: 6222, monitor: 8222 } as const;

/** How many servers there are with `nats.cluster`: the least that may lose one. */
export const natsClusterSize = 3;

/** User of its Pods; nobody in the image. */
const userId = 65_532;

const namespace = value('namespace');
const labels = installationLabels(natsName);
const metadata = { name: natsName, namespace, labels };

/** What is acknowledged is on the disk (`sync_interval`). The password is a variable. */
const config = `listen: 0.0.0.0:${natsPorts.client}
http: 0.0.0.0:${natsPorts.monitor}
max_payload: 8MB
jetstream {
  store_dir: /data
  sync_interval: always
}
authorization {
  user: ${natsUser}
  password: $NATS_PASSWORD
}
`;

/** Everything but the Secret, which the installer makes: passwords are in no template. */
export function planNats(): readonly ManifestTemplate[] {
  const objects: readonly TemplateFields[] = [
    { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { 'nats.conf': config } },
    {
      ...{ apiVersion: 'v1', kind: 'Service', metadata },
      spec: {
        clusterIP: 'None',
        // Servers find each other before they are ready.
        publishNotReadyAddresses: true,
        selector: labels,
        ports: Object.entries(natsPorts).map(([name, port]) => ({
          ...{ name, port, targetPort: name, protocol: 'TCP' },
        })),
      },
    },
    planStatefulSet(),
    {
      ...{ apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata },
      spec: { maxUnavailable: 1, selector: { matchLabels: labels } },
    },
    planPolicy(),
  ];
  return objects.map((object) => ({ when: 'nats.enabled', object }));
}

/** The controller, and the servers among each other. */
function planPolicy(): TemplateFields {
  const from = (name: string): TemplateFields => ({
    podSelector: { matchLabels: installationLabels(name) },
  });
  const port = (number: number): TemplateFields => ({ port: number, protocol: 'TCP' });
  const rules = [
    { from: [from(clusterNames.controller)], ports: [port(natsPorts.client)] },
    { from: [from(natsName)], ports: [port(natsPorts.cluster), port(natsPorts.client)] },
    { from: [{ namespaceSelector: {} }], ports: [port(natsPorts.monitor)] },
  ];
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata,
    spec: {
      podSelector: { matchLabels: labels },
      policyTypes: ['Ingress'],
      ingress: choose('networkPolicies', rules, [{}]),
    },
  };
}

function planStatefulSet(): TemplateFields {
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata,
    spec: {
      serviceName: natsName,
      replicas: choose('nats.cluster', natsClusterSize, 1),
      // Servers of a cluster wait for each other.
      podManagementPolicy: 'Parallel',
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: planPodSpec() },
      volumeClaimTemplates: [
        {
          ...{
            apiVersion: 'v1',
            kind: 'PersistentVolumeClaim',
            metadata: { name: 'data', labels },
          },
          spec: {
            accessModes: ['ReadWriteOnce'],
            storageClassName: choose('nats.storageClass', value('nats.storageClass')),
            resources: { requests: { storage: value('nats.size') } },
          },
        },
      ],
    },
  };
}

function planPodSpec(): TemplateFields {
  return {
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    priorityClassName: choose('priorityClass', value('namespace')),
    terminationGracePeriodSeconds: 60,
    topologySpreadConstraints: [
      {
        ...{ maxSkew: 1, topologyKey: 'kubernetes.io/hostname' },
        whenUnsatisfiable: 'ScheduleAnyway',
        labelSelector: { matchLabels: labels },
      },
    ],
    securityContext: {
      ...{ runAsNonRoot: true, runAsUser: userId, runAsGroup: userId, fsGroup: userId },
      seccompProfile: { type: 'RuntimeDefault' },
    },
    containers: [planContainer()],
    volumes: [{ name: 'config', configMap: { name: natsName } }],
  };
}

function planContainer(): TemplateFields {
  return {
    name: 'nats',
    image: choose(
      'registry',
      text(value('registry'), '/', value('nats.image')),
      value('nats.image'),
    ),
    imagePullPolicy: value('imagePullPolicy'),
    command: ['nats-server'],
    args: [
      ...['--config', '/etc/nats/nats.conf', '--name', '$(POD_NAME)'],
      ...clusterArgs().map((argument) => choose('nats.cluster', argument)),
    ],
    env: [
      { name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
      {
        name: 'NATS_PASSWORD',
        valueFrom: { secretKeyRef: { name: natsName, key: 'password' } },
      },
    ],
    ports: Object.entries(natsPorts).map(([name, containerPort]) => ({
      ...{ name, containerPort, protocol: 'TCP' },
    })),
    startupProbe: probe('/healthz?js-server-only=true', { periodSeconds: 5, failureThreshold: 90 }),
    readinessProbe: probe('/healthz?js-server-only=true', { periodSeconds: 10 }),
    livenessProbe: probe('/healthz?js-enabled-only=true', { periodSeconds: 30 }),
    resources: {
      requests: { cpu: '100m', memory: '128Mi' },
      limits: { memory: value('nats.memoryLimit') },
    },
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    },
    volumeMounts: [
      { name: 'config', mountPath: '/etc/nats', readOnly: true },
      { name: 'data', mountPath: '/data' },
    ],
  };
}

/** Where the servers find each other; the kubelet puts the password in. */
function clusterArgs(): readonly Template[] {
  const login = `${natsUser}:$(NATS_PASSWORD)`;
  const routes = Array.from(
    { length: natsClusterSize },
    (_, index) => `nats://${login}@${natsName}-${index}.${natsName}:${natsPorts.cluster}`,
  );
  return [
    ...['--cluster_name', natsName],
    ...['--cluster', `nats://${login}@0.0.0.0:${natsPorts.cluster}`],
    ...['--routes', routes.join(',')],
  ];
}

function probe(path: string, times: TemplateFields): TemplateFields {
  return { httpGet: { path, port: 'monitor' }, timeoutSeconds: 5, ...times };
}
