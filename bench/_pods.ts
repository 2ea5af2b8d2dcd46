/**
 * Pods as they weigh in real clusters: 28 kB of JSON each, 47 % of it metadata, of which most is
 * `managedFields` (measured on a cluster's Pods; see the issue of the operator runtime).
 */

const namespaces = 50;
const applications = 200;

/** The JSON of the n-th Pod, with this resourceVersion. */
export function podJson(n: number, resourceVersion: number): string {
  return JSON.stringify(pod(n, resourceVersion));
}

function pod(n: number, resourceVersion: number): object {
  const app = `application-${n % applications}`;
  const name = `${app}-7d9c5b8f64-${n.toString(36).padStart(5, '0')}`;
  return {
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: metadata(n, { name, app, resourceVersion }),
    spec: spec(n, app),
    status: status(n),
  };
}

function uid(n: number, kind: number): string {
  return `${kind.toString(16).padStart(8, '0')}-4c1d-4b6e-9a3f-${n.toString(16).padStart(12, '0')}`;
}

const time = '2026-05-04T08:15:30Z';

function metadata(
  n: number,
  of: { readonly name: string; readonly app: string; readonly resourceVersion: number },
): object {
  const { name, app, resourceVersion } = of;
  return {
    name,
    generateName: name.slice(0, -5),
    namespace: `team-${n % namespaces}`,
    uid: uid(n, 1),
    resourceVersion: String(resourceVersion),
    generation: 1,
    creationTimestamp: time,
    labels: {
      'app.kubernetes.io/name': app,
      'app.kubernetes.io/instance': `${app}-production`,
      'app.kubernetes.io/version': `1.${n % 40}.0`,
      'app.kubernetes.io/component': 'server',
      'app.kubernetes.io/managed-by': 'Helm',
      'helm.sh/chart': `${app}-2.11.4`,
      'pod-template-hash': '7d9c5b8f64',
    },
    annotations: {
      'checksum/config': uid(n % applications, 9).repeat(2),
      'cni.example.com/podIP': `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}/32`,
      'prometheus.io/scrape': 'true',
      'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify({ spec: fillers(6, n) }),
    },
    ownerReferences: [
      {
        apiVersion: 'apps/v1',
        kind: 'ReplicaSet',
        name: name.slice(0, -6),
        uid: uid(n % applications, 2),
        controller: true,
        blockOwnerDeletion: true,
      },
    ],
    managedFields: [
      managedFields('kube-controller-manager', ['metadata', 'spec'], 37),
      { ...managedFields('kubelet', ['status'], 31), subresource: 'status' },
    ],
  };
}

function managedFields(manager: string, roots: readonly string[], count: number): object {
  const field = (k: number): [string, object] => [
    `k:{"name":"FIELD_NUMBER_${k}"}`,
    { '.': {}, 'f:name': {}, 'f:value': {}, 'f:valueFrom': { '.': {}, 'f:fieldRef': {} } },
  ];
  const fields = Object.fromEntries(Array.from({ length: count }, (_, k) => field(k)));
  return {
    manager,
    operation: 'Update',
    apiVersion: 'v1',
    time,
    fieldsType: 'FieldsV1',
    fieldsV1: Object.fromEntries(roots.map((root) => [`f:${root}`, fields])),
  };
}

function fillers(count: number, n: number): object[] {
  return Array.from({ length: count }, (_, k) => ({
    name: `ENVIRONMENT_VARIABLE_${k}`,
    value: `value ${k} of "pod" ${n % applications}`,
  }));
}

function spec(n: number, app: string): object {
  const container = (k: number): object => ({
    name: k === 0 ? app : `sidecar-${k}`,
    image: `images.example.com/${app}/server:1.${n % 40}.0`,
    args: ['--listen=:8080', '--log-level=info', `--shard=${n}`],
    ports: [{ name: 'http', containerPort: 8080, protocol: 'TCP' }],
    env: fillers(53, n),
    resources: { limits: { memory: '512Mi' }, requests: { cpu: '100m', memory: '256Mi' } },
    livenessProbe: { httpGet: { path: '/health', port: 'http' }, periodSeconds: 10 },
    terminationMessagePath: '/dev/termination-log',
    imagePullPolicy: 'IfNotPresent',
  });
  return {
    nodeName: `node-${n % 300}`,
    serviceAccountName: app,
    restartPolicy: 'Always',
    terminationGracePeriodSeconds: 30,
    containers: [container(0), container(1), container(2)],
    tolerations: [{ key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute' }],
    volumes: fillers(10, n),
  };
}

function status(n: number): object {
  const ip = `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`;
  const conditions = ['PodReadyToStartContainers', 'Initialized', 'Ready', 'ContainersReady'];
  return {
    phase: 'Running',
    hostIP: `192.168.${n % 3}.${n % 100}`,
    podIP: ip,
    podIPs: [{ ip }],
    startTime: time,
    qosClass: 'Burstable',
    conditions: conditions.map((type) => ({ type, status: 'True', lastTransitionTime: time })),
    containerStatuses: [0, 1, 2].map((k) => ({
      name: `container-${k}`,
      ready: true,
      restartCount: n % 4,
      containerID: `containerd://${uid(n, 3).repeat(2)}`,
      imageID: `images.example.com/server@sha256:${uid(n % 40, 4).repeat(2)}`,
      state: { running: { startedAt: time } },
    })),
  };
}
