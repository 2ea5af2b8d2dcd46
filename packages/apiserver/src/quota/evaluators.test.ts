import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonObject } from '@fnlet/base';
import type { Evaluator } from './evaluator.ts';
import { evaluatorOf, kindsCounted } from './evaluators.ts';
import { formatUsage } from './usage.ts';

const now = Date.parse('2026-01-01T00:01:00Z');

function evaluator(group: string, plural: string): Evaluator {
  const found = evaluatorOf({ group, plural });
  assert(found);
  return found;
}

const use = (plural: string, object: JsonObject, group = ''): string =>
  formatUsage(evaluator(group, plural).usageOf?.(object, now) ?? new Map());

const container = (requests: object, limits: object = {}, rest: object = {}): JsonObject => ({
  ...{ name: 'c', resources: { requests, limits }, ...rest },
});

const pod = (spec: object, status: object = {}, metadata: object = {}): JsonObject => ({
  ...{ apiVersion: 'v1', kind: 'Pod', metadata, spec, status },
});

const rows: readonly (readonly [string, JsonObject, string])[] = [
  ['one that asks for nothing', pod({ containers: [{ name: 'c' }] }), 'count/pods=1,pods=1'],
  [
    'its containers together',
    pod({
      containers: [
        container({ cpu: '100m', memory: '1Gi' }, { cpu: '1' }),
        container({ cpu: '1', 'ephemeral-storage': '1Mi' }, { memory: '2Gi' }),
      ],
    }),
    'count/pods=1,cpu=1100m,ephemeral-storage=1Mi,limits.cpu=1,limits.memory=2Gi,memory=1Gi,' +
      'pods=1,requests.cpu=1100m,requests.ephemeral-storage=1Mi,requests.memory=1Gi',
  ],
  [
    'the largest of what runs before it, where that is more',
    pod({
      containers: [container({ cpu: '1' })],
      initContainers: [container({ cpu: '500m' }), container({ cpu: '3' })],
    }),
    'count/pods=1,cpu=3,pods=1,requests.cpu=3',
  ],
  [
    'sidecars beside it, and beside what is started after them',
    pod({
      containers: [container({ cpu: '1' })],
      initContainers: [
        container({ cpu: '2' }),
        container({ cpu: '1' }, {}, { restartPolicy: 'Always' }),
        container({ cpu: '2' }),
      ],
    }),
    'count/pods=1,cpu=3,pods=1,requests.cpu=3',
  ],
  [
    'what it says as a whole, and its overhead where something is bounded',
    pod({
      containers: [container({ cpu: '1' }, { memory: '1Gi' })],
      resources: { requests: { cpu: '4' }, limits: { cpu: '5' } },
      overhead: { cpu: '1', memory: '1Mi' },
    }),
    'count/pods=1,cpu=5,limits.cpu=6,limits.memory=1025Mi,memory=1Mi,pods=1,requests.cpu=5,' +
      'requests.memory=1Mi',
  ],
  [
    'huge pages and devices as requests',
    pod({
      containers: [container({ 'hugepages-2Mi': '4Mi', 'a.com/gpu': '2', 'x.kubernetes.io/y': 1 })],
    }),
    'count/pods=1,hugepages-2Mi=4Mi,pods=1,requests.a.com/gpu=2,requests.hugepages-2Mi=4Mi',
  ],
  [
    'one that has ended, as an object',
    pod({ containers: [container({ cpu: '1' })] }, { phase: 'Succeeded' }),
    'count/pods=1',
  ],
  [
    'one that has failed, as an object',
    pod({ containers: [] }, { phase: 'Failed' }),
    'count/pods=1',
  ],
  [
    'one that should be gone, as an object',
    pod(
      { containers: [] },
      { phase: 'Running' },
      { deletionTimestamp: '2026-01-01T00:00:29Z', deletionGracePeriodSeconds: 30 },
    ),
    'count/pods=1',
  ],
  [
    'one that is about to go, whole',
    pod(
      { containers: [] },
      { phase: 'Running' },
      { deletionTimestamp: '2026-01-01T00:00:30Z', deletionGracePeriodSeconds: 30 },
    ),
    'count/pods=1,pods=1',
  ],
];

describe('podEvaluator counts', () => {
  for (const [what, object, expected] of rows) {
    it(what, () => assert.equal(use('pods', object), expected));
  }
});

const service = (spec: object): JsonObject => ({
  spec: { ports: [{}, { nodePort: 30_001 }], ...spec },
});
const serviceRows = [
  ['ClusterIP', {}, 0, 0],
  ['NodePort', {}, 2, 0],
  ['LoadBalancer', {}, 2, 1],
  ['LoadBalancer', { allocateLoadBalancerNodePorts: false }, 1, 1],
] as const;

describe('serviceEvaluator counts', () => {
  for (const [type, rest, nodePorts, balancers] of serviceRows) {
    it(`a ${type} ${JSON.stringify(rest)}`, () => {
      const found = use('services', service({ type, ...rest }));
      const own = `services.loadbalancers=${balancers},services.nodeports=${nodePorts}`;
      assert.equal(found, `count/services=1,services=1,${own}`);
    });
  }
});

const claim = (storage: string, rest: object = {}, status: object = {}): JsonObject => ({
  ...{ spec: { resources: { requests: { storage } }, ...rest }, status },
});

describe('volumeClaimEvaluator counts', () => {
  it('claims and their storage, of all and of their class', () => {
    assert.equal(
      use('persistentvolumeclaims', claim('1Gi', { storageClassName: 'gold' })),
      'count/persistentvolumeclaims=1,' +
        'gold.storageclass.storage.k8s.io/persistentvolumeclaims=1,' +
        'gold.storageclass.storage.k8s.io/requests.storage=1Gi,' +
        'persistentvolumeclaims=1,requests.storage=1Gi',
    );
  });
  it('whole bytes, and what was given where it is more', () => {
    const rest = 'count/persistentvolumeclaims=1,persistentvolumeclaims=1,requests.storage=';
    assert.equal(use('persistentvolumeclaims', claim('1500m')), `${rest}2`);
    const given = claim('1Gi', {}, { allocatedResources: { storage: '2Gi' } });
    assert.equal(use('persistentvolumeclaims', given), `${rest}2Gi`);
  });
  it('the class of the annotation first', () => {
    const metadata = { annotations: { 'volume.beta.kubernetes.io/storage-class': 'old' } };
    const found = use('persistentvolumeclaims', {
      ...claim('1', { storageClassName: 'new' }),
      metadata,
    });
    assert.match(found, /,old\.storageclass/);
    assert.doesNotMatch(found, /new/);
  });
});

describe('deviceClaimEvaluator counts', () => {
  it('devices by class, of alternatives the worst', () => {
    const requests = [
      { name: 'a', exactly: { deviceClassName: 'gpu', allocationMode: 'ExactCount', count: 2 } },
      { name: 'b', exactly: { deviceClassName: 'gpu' } },
      {
        name: 'c',
        firstAvailable: [
          { deviceClassName: 'big', count: 1 },
          { deviceClassName: 'gpu', allocationMode: 'All' },
        ],
      },
    ];
    assert.equal(
      use('resourceclaims', { spec: { devices: { requests } } }, 'resource.k8s.io'),
      'big.deviceclass.resource.k8s.io/devices=1,count/resourceclaims.resource.k8s.io=1,' +
        'gpu.deviceclass.resource.k8s.io/devices=35',
    );
  });
});

describe('evaluatorOf()', () => {
  const counts = (group: string, plural: string, name: string): boolean =>
    evaluator(group, plural).counts(name);
  it('counts every kind by its group, and four by a name of their own', () => {
    assert(counts('apps', 'deployments', 'count/deployments.apps'));
    assert(counts('', 'secrets', 'count/secrets'));
    assert(counts('', 'secrets', 'secrets'));
    assert(!counts('x.com', 'secrets', 'secrets'));
    assert(!counts('', 'endpoints', 'endpoints'));
  });
  it('counts Events under no quota', () => {
    assert.equal(evaluatorOf({ group: '', plural: 'events' }), undefined);
    assert.equal(evaluatorOf({ group: 'events.k8s.io', plural: 'events' }), undefined);
    assert.deepEqual(kindsCounted(['count/events', 'count/events.events.k8s.io']), []);
  });
  it('knows the names of the resources of Pods and claims', () => {
    for (const name of ['requests.a.com/gpu', 'requests.hugepages-1Gi', 'limits.memory', 'pods']) {
      assert(counts('', 'pods', name), name);
    }
    for (const name of ['a.com/gpu', 'limits.a.com/gpu', 'requests.storage', 'services']) {
      assert(!counts('', 'pods', name), name);
    }
    const gold = 'gold.storageclass.storage.k8s.io/requests.storage';
    assert(counts('', 'persistentvolumeclaims', gold));
    assert(counts('', 'persistentvolumeclaims', 'requests.storage'));
  });
  it('finds the kinds of a quota, each once', () => {
    const found = kindsCounted(['pods', 'cpu', 'count/pods', 'secrets', 'count/toys.x.com']);
    assert.deepEqual(
      found.map(({ group, plural }) => `${plural}.${group}`),
      ['pods.', 'secrets.', 'toys.x.com'],
    );
  });
});
