import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isJsonObject } from '@fnlet/base';
import { revisionFixture } from '../../test/revision-fixture.ts';
import type { RunnableRevision } from '../executor.ts';
import { executorOf, planDeployment, planRevisionService } from './plan-deployment.ts';
import { planPool } from './plan-pool.ts';
import type { PoolTerms } from './plan-runner-pod.ts';

const terms: PoolTerms = {
  ownerUrl: 'https://controller:8443',
  programs: {
    node: { name: 'node-runner', items: [{ key: 'file-0', path: 'src/pod-main.mjs' }] },
    python: { name: 'python-runner', items: [] },
  },
  authorityConfigMap: 'fnlet-authority',
  requests: { cpu: '10m', memory: '64Mi' },
};

/** What is at this path: names, and numbers for items of lists. */
function at(value: unknown, path: string): unknown {
  let found = value;
  for (const name of path.split('/')) {
    if (Array.isArray(found)) found = found[Number(name)];
    else found = isJsonObject(found) ? found[name] : undefined;
  }
  return found;
}

function podOf(changes: Partial<RunnableRevision>, own: Partial<PoolTerms> = {}): unknown {
  const deployment = planDeployment(revisionFixture(changes), 1, { ...terms, ...own });
  return at(deployment, 'spec/template/spec');
}

test('planDeployment() is the Revision’s, by name, labels and owner', () => {
  const revision = revisionFixture({ labels: { team: 'a' }, annotations: { note: 'b' } });
  const { metadata, spec } = planDeployment(revision, 3, terms);
  const own = {
    'app.kubernetes.io/managed-by': 'fnlet',
    'fnlet.dev/executor': 'deployment',
    'fnlet.dev/revision': 'hello-00001',
  };
  assert.deepEqual(metadata, {
    name: 'hello-00001',
    namespace: 'default',
    labels: { ...own, 'fnlet.dev/function': 'hello' },
    annotations: { 'fnlet.dev/replicas': '3' },
    ownerReferences: [revision.owner],
  });
  assert.equal(at(spec, 'replicas'), 3);
  assert.deepEqual(at(spec, 'selector/matchLabels'), own);
  assert.deepEqual(at(spec, 'template/metadata/annotations'), { note: 'b' });
  assert.deepEqual(at(spec, 'template/metadata/labels'), {
    ...own,
    team: 'a',
    'app.kubernetes.io/name': 'hello',
    'fnlet.dev/function': 'hello',
  });
});

test('planDeployment() says nothing about a number that is somebody else’s', () => {
  const { metadata, spec } = planDeployment(revisionFixture({}), { said: '1' }, terms);
  assert.deepEqual(metadata.annotations, { 'fnlet.dev/replicas': '1' });
  assert.ok(!('replicas' in spec));
});

test('planDeployment() keeps its own labels from being taken for others', () => {
  const labels = { 'app.kubernetes.io/managed-by': 'me', 'app.kubernetes.io/name': 'mine' };
  const deployment = planDeployment(revisionFixture({ labels }), 1, terms);
  const found = at(deployment, 'spec/template/metadata/labels');
  assert.ok(isJsonObject(found));
  assert.equal(found['app.kubernetes.io/managed-by'], 'fnlet');
  assert.equal(found['app.kubernetes.io/name'], 'hello');
});

test('planDeployment() gives Pods no rights that are not asked for', () => {
  const pod = podOf({});
  assert.equal(at(pod, 'automountServiceAccountToken'), false);
  assert.equal(at(pod, 'serviceAccountName'), undefined);
  assert.deepEqual(at(pod, 'securityContext'), {
    runAsNonRoot: true,
    runAsUser: 65_532,
    runAsGroup: 65_532,
    fsGroup: 65_532,
    seccompProfile: { type: 'RuntimeDefault' },
  });
  assert.deepEqual(at(pod, 'containers/0/securityContext'), {
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  });
  assert.deepEqual(at(pod, 'containers/0/resources'), { requests: terms.requests });
  // The time that calls may take, and a goodbye.
  assert.equal(at(pod, 'terminationGracePeriodSeconds'), 10);
});

const options: readonly (readonly [string, Partial<RunnableRevision>, string, unknown])[] = [
  ['image', { pod: { imageOverride: 'me/it:1' } }, 'containers/0/image', 'me/it:1'],
  [
    'runtime',
    { runtime: 'python312', runsOn: 'python3.12' },
    'containers/0/image',
    'python:3.12-slim',
  ],
  ['account', { serviceAccountName: 'worker' }, 'serviceAccountName', 'worker'],
  ['token', { serviceAccountName: 'worker' }, 'automountServiceAccountToken', true],
  [
    'limits',
    { resources: { requests: { cpu: '100m' }, limits: { memory: '1Gi' } } },
    'containers/0/resources',
    { requests: { cpu: '100m', memory: '64Mi' }, limits: { memory: '1Gi' } },
  ],
  [
    'requests alone',
    { resources: { requests: { cpu: '100m', memory: '1Gi' }, limits: {} } },
    'containers/0/resources',
    { requests: { cpu: '100m', memory: '1Gi' } },
  ],
  [
    'a Secret',
    { pod: { mounts: [{ secret: 's', path: '/s', optional: true, defaultMode: 256 }] } },
    'volumes/3',
    { name: 'mount-0', secret: { secretName: 's', optional: true, defaultMode: 256 } },
  ],
  [
    'a ConfigMap',
    { pod: { mounts: [{ configMap: 'c', path: '/c', items: [{ key: 'k', path: 'p' }] }] } },
    'volumes/3',
    { name: 'mount-0', configMap: { name: 'c', items: [{ key: 'k', path: 'p' }] } },
  ],
  [
    'where it is mounted',
    { pod: { mounts: [{ configMap: 'c', path: '/c' }] } },
    'containers/0/volumeMounts/3',
    { name: 'mount-0', mountPath: '/c', readOnly: true },
  ],
  ...[
    ['nodeSelector', { disk: 'ssd' }],
    ['affinity', { podAntiAffinity: {} }],
    ['tolerations', [{ operator: 'Exists' }]],
    ['topologySpreadConstraints', [{ maxSkew: 1 }]],
    ['runtimeClassName', 'gvisor'],
    ['priorityClassName', 'high'],
    ['schedulerName', 'mine'],
    ['imagePullSecrets', [{ name: 'pull' }]],
    ['hostAliases', [{ ip: '10.0.0.1', hostnames: ['db'] }]],
    ['dnsPolicy', 'None'],
    ['dnsConfig', { nameservers: ['10.0.0.2'] }],
  ].map(([name, value]): readonly [string, Partial<RunnableRevision>, string, unknown] => {
    return [String(name), { pod: { settings: { [String(name)]: value } } }, String(name), value];
  }),
  [
    'user',
    { pod: { user: { runAsUser: 7, supplementalGroups: [8] } } },
    'securityContext/runAsUser',
    7,
  ],
  [
    'groups',
    { pod: { user: { supplementalGroups: [8] } } },
    'securityContext/supplementalGroups',
    [8],
  ],
];

for (const [what, changes, path, expected] of options) {
  test(`planDeployment() brings ${what}`, () => {
    assert.deepEqual(at(podOf(changes), path), expected);
  });
}

test('planDeployment() takes images from a mirror, but for those that are named', () => {
  const registry = 'mirror.example';
  assert.equal(at(podOf({}, { registry }), 'containers/0/image'), 'mirror.example/node:24-slim');
  const pod = { imageOverride: 'me/it:1' };
  assert.equal(at(podOf({ pod }, { registry }), 'containers/0/image'), 'me/it:1');
});

test('planDeployment() takes no setting for what is Fnlet’s to say', () => {
  const settings = { containers: [], volumes: [], automountServiceAccountToken: true };
  const pod = podOf({ pod: { settings } });
  assert.equal(at(pod, 'automountServiceAccountToken'), false);
  assert.equal(at(pod, 'containers/0/name'), 'function');
});

test('planRevisionService() names the Pods of the Revision, and has no address', () => {
  const { metadata, spec } = planRevisionService(revisionFixture());
  assert.equal(metadata.name, 'hello-00001');
  assert.equal(at(spec, 'clusterIP'), 'None');
  assert.deepEqual(
    at(spec, 'selector'),
    at(planDeployment(revisionFixture(), 1, terms), 'spec/selector/matchLabels'),
  );
});

test('executorOf() reads what a Revision asks for', () => {
  const kind = (changes: Partial<RunnableRevision>) => executorOf(revisionFixture(changes)).kind;
  assert.equal(kind({}), 'pool');
  assert.equal(kind({ pod: {} }), 'pool');
  assert.equal(kind({ pod: { settings: {}, user: {}, mounts: [] } }), 'pool');
  assert.equal(kind({ pod: { executor: 'deployment' } }), 'deployment');
  assert.equal(kind({ pod: { settings: { schedulerName: 'x' } } }), 'deployment');
  assert.equal(kind({ pod: { user: { runAsUser: 7 } } }), 'deployment');
  assert.equal(kind({ serviceAccountName: 'worker' }), 'deployment');
});

test('planDeployment() spreads Pods over zones and Nodes, unless the function says how', () => {
  const spread = at(podOf({}), 'topologySpreadConstraints');
  assert.ok(Array.isArray(spread));
  assert.deepEqual(
    spread.map((one) => [at(one, 'topologyKey'), at(one, 'whenUnsatisfiable')]),
    [
      ['topology.kubernetes.io/zone', 'ScheduleAnyway'],
      ['kubernetes.io/hostname', 'ScheduleAnyway'],
    ],
  );
  const settings = { topologySpreadConstraints: [] };
  assert.deepEqual(at(podOf({ pod: { settings } }), 'topologySpreadConstraints'), []);
});

test('planPool() spreads warm Pods by all of Fnlet’s Pods in the namespace', () => {
  const pool = planPool(
    { ...{ namespace: 'a', replicas: 1, isPressing: false }, pool: 'nodejs24' },
    terms,
  );
  const path = 'spec/template/spec/topologySpreadConstraints/0/labelSelector/matchLabels';
  assert.deepEqual(at(pool, path), { 'app.kubernetes.io/managed-by': 'fnlet' });
});
