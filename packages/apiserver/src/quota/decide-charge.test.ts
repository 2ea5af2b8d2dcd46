import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonObject } from '@fnlet/base';
import { decideCharge } from './decide-charge.ts';
import { evaluatorOf } from './evaluators.ts';
import { parseQuota, type Quota } from './quota.ts';
import { formatUsage } from './usage.ts';

function quota(
  name: string,
  hard: JsonObject,
  rest: { used?: JsonObject; spec?: object } = {},
): Quota {
  const used = rest.used ?? Object.fromEntries(Object.keys(hard).map((one) => [one, '0']));
  const spec = { hard, ...rest.spec };
  return parseQuota({ metadata: { name }, spec, status: { hard, used } });
}

interface Write {
  readonly plural?: string;
  readonly group?: string;
  readonly object: JsonObject;
  readonly old?: JsonObject;
  readonly subresource?: string;
}

/** The refusal, or what is used then, quota by quota. */
function decide(
  quotas: readonly Quota[],
  { plural = 'pods', group = '', ...write }: Write,
): string {
  const evaluator = evaluatorOf({ group, plural });
  assert(evaluator);
  const decision = decideCharge(quotas, { evaluator, now: 0, ...write });
  if (decision.kind === 'refused') return decision.text;
  return decision.charges
    .map(({ quota: { name }, used }) => `${name}: ${formatUsage(used)}`)
    .join('; ');
}

const pod = (spec: object = {}, status: object = {}): JsonObject => ({
  ...{ metadata: { name: 'p' }, spec: { containers: [{ name: 'c' }], ...spec }, status },
});
const needy = (requests: object, limits: object = {}, name = 'c'): JsonObject => ({
  ...{ name, resources: { requests, limits } },
});

describe('decideCharge()', () => {
  it('adds what an object uses to each quota that counts it', () => {
    const quotas = [quota('a', { pods: '2' }), quota('b', { 'count/pods': '9', secrets: '1' })];
    assert.equal(decide(quotas, { object: pod() }), 'a: pods=1; b: count/pods=1,secrets=0');
  });

  it('refuses what is too much, and says only that', () => {
    const hard = { pods: '2', 'requests.cpu': '1', 'count/pods': '9' };
    const used = { pods: '2', 'requests.cpu': '600m', 'count/pods': '2' };
    const object = pod({ containers: [needy({ cpu: '0.5' })] });
    assert.equal(
      decide([quota('q', hard, { used })], { object }),
      'exceeded quota: q, requested: pods=1,requests.cpu=500m, used: pods=2,requests.cpu=600m, ' +
        'limited: pods=2,requests.cpu=1',
    );
  });

  it('takes what just fits', () => {
    const q = quota('q', { 'limits.memory': '1Gi' }, { used: { 'limits.memory': '512Mi' } });
    const object = pod({ containers: [needy({}, { memory: '512Mi' })] });
    assert.equal(decide([q], { object }), 'q: limits.memory=1Gi');
  });

  it('charges nothing anywhere when one of the quotas refuses', () => {
    const quotas = [quota('a', { pods: '5' }), quota('b', { pods: '0' })];
    assert.equal(
      decide(quotas, { object: pod() }),
      'exceeded quota: b, requested: pods=1, used: pods=0, limited: pods=0',
    );
  });
});

describe('decideCharge() of what is not said', () => {
  it('refuses a Pod that does not say what a quota counts', () => {
    const q = quota('q', { 'limits.cpu': '4', memory: '4Gi', 'requests.ephemeral-storage': '1' });
    assert.equal(
      decide([q], { object: pod() }),
      'failed quota: q: must specify limits.cpu for: c; memory for: c',
    );
    const initContainers = [needy({ memory: '1' }, {}, 'b')];
    const containers = [needy({}, {}, 'z'), needy({}, { cpu: '1' }, 'a')];
    assert.equal(
      decide([q], { object: pod({ containers, initContainers }) }),
      'failed quota: q: must specify limits.cpu for: b,z; memory for: a,z',
    );
  });

  it('asks no container of a Pod that says it as a whole', () => {
    const q = quota('q', { 'limits.cpu': '4' });
    assert.equal(
      decide([q], { object: pod({ resources: { limits: { cpu: '1' } } }) }),
      'q: limits.cpu=1',
    );
  });

  it('refuses what a quota that was never counted bounds', () => {
    const q = quota('q', { pods: '4', cpu: '1' }, { used: { cpu: '0' } });
    const object = pod({ containers: [needy({ cpu: '1' })] });
    assert.equal(decide([q], { object }), 'status unknown for quota: q, resources: cpu,pods');
  });

  it('knows nothing of a quota without a status', () => {
    const q = parseQuota({ metadata: { name: 'q' }, spec: { hard: { pods: '0' } }, status: {} });
    assert.equal(decide([q], { object: pod() }), '');
  });
});

describe('decideCharge() of an update', () => {
  const service = (type: string, ports = 1): JsonObject => ({
    ...{ spec: { type, ports: Array.from({ length: ports }, () => ({})) } },
  });
  const hard = { services: '1', 'services.nodeports': '2' };
  const ports = (nodePorts: string): Quota =>
    quota('q', hard, { used: { services: '1', 'services.nodeports': nodePorts } });

  it('charges what grows', () => {
    const write = { plural: 'services', old: service('ClusterIP'), object: service('NodePort', 2) };
    assert.equal(decide([ports('0')], write), 'q: services=1,services.nodeports=2');
    assert.equal(
      decide([ports('1')], write),
      'exceeded quota: q, requested: services.nodeports=2, used: services.nodeports=1, ' +
        'limited: services.nodeports=2',
    );
  });

  it('charges nothing for what shrinks or stays, however much is used', () => {
    const old = service('NodePort', 2);
    const write = { plural: 'services', old };
    assert.equal(decide([ports('9')], { ...write, object: service('NodePort', 1) }), '');
    assert.equal(decide([ports('9')], { ...write, object: old }), '');
    assert.equal(
      decide([ports('0')], { ...write, object: service('NodePort', 3), subresource: 'status' }),
      '',
    );
  });

  it('asks nothing of a Pod, unless it comes into another scope', () => {
    const spec = { scopes: ['Terminating'] };
    const quotas = [
      quota('t', { pods: '0' }, { spec }),
      quota('n', { pods: '0' }, { spec: { scopes: ['NotTerminating'] } }),
    ];
    const old = pod();
    assert.equal(decide(quotas, { old, object: pod({ priority: 1 }) }), '');
    assert.equal(
      decide(quotas, { old, object: pod({ activeDeadlineSeconds: 1 }) }),
      'exceeded quota: t, requested: pods=1, used: pods=0, limited: pods=0',
    );
  });

  it('charges a claim that was given more, and does not refuse that', () => {
    const q = quota('q', { 'requests.storage': '1Gi' }, { used: { 'requests.storage': '1Gi' } });
    const old = { spec: { resources: { requests: { storage: '1Gi' } } } };
    const object = { ...old, status: { allocatedResources: { storage: '2Gi' } } };
    const write = { plural: 'persistentvolumeclaims', old, object, subresource: 'status' };
    assert.equal(decide([q], write), 'q: requests.storage=2Gi');
  });
});

const affinity = (term: object, weight?: number): object => ({
  podAntiAffinity:
    weight === undefined
      ? { requiredDuringSchedulingIgnoredDuringExecution: [term] }
      : { preferredDuringSchedulingIgnoredDuringExecution: [{ weight, podAffinityTerm: term }] },
});
const high = pod({ priorityClassName: 'high' });
const inClass = (operator: string, values: readonly string[] = []): object => ({
  scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator, values }] },
});

const scopeRows: readonly (readonly [string, object, JsonObject, boolean])[] = [
  ['Terminating', { scopes: ['Terminating'] }, pod({ activeDeadlineSeconds: 0 }), true],
  ['Terminating', { scopes: ['Terminating'] }, pod(), false],
  ['NotTerminating', { scopes: ['NotTerminating'] }, pod(), true],
  ['NotTerminating', { scopes: ['NotTerminating'] }, pod({ activeDeadlineSeconds: 9 }), false],
  ['BestEffort', { scopes: ['BestEffort'] }, pod({}, { qosClass: 'BestEffort' }), true],
  ['BestEffort', { scopes: ['BestEffort'] }, pod({}, { qosClass: 'Burstable' }), false],
  ['NotBestEffort', { scopes: ['NotBestEffort'] }, pod({}, { qosClass: 'Guaranteed' }), true],
  ['NotBestEffort', { scopes: ['NotBestEffort'] }, pod({}, { qosClass: 'BestEffort' }), false],
  ['PriorityClass', { scopes: ['PriorityClass'] }, high, true],
  ['PriorityClass', { scopes: ['PriorityClass'] }, pod(), false],
  ['PriorityClass In', inClass('In', ['low', 'high']), high, true],
  ['PriorityClass In', inClass('In', ['low']), high, false],
  ['PriorityClass NotIn', inClass('NotIn', ['low']), high, true],
  ['PriorityClass NotIn', inClass('NotIn', ['low']), pod(), true],
  ['PriorityClass NotIn', inClass('NotIn', ['high']), high, false],
  ['PriorityClass DoesNotExist', inClass('DoesNotExist'), pod(), true],
  ['PriorityClass DoesNotExist', inClass('DoesNotExist'), high, false],
  ['all of two', { scopes: ['Terminating'], ...inClass('Exists') }, high, false],
  [
    'CrossNamespacePodAffinity',
    { scopes: ['CrossNamespacePodAffinity'] },
    pod({ affinity: affinity({ namespaces: ['a'] }) }),
    true,
  ],
  [
    'CrossNamespacePodAffinity',
    { scopes: ['CrossNamespacePodAffinity'] },
    pod({ affinity: affinity({ namespaceSelector: {} }, 1) }),
    true,
  ],
  [
    'CrossNamespacePodAffinity',
    { scopes: ['CrossNamespacePodAffinity'] },
    pod({ affinity: affinity({ topologyKey: 'x' }) }),
    false,
  ],
  ['VolumeAttributesClass', { scopes: ['VolumeAttributesClass'] }, pod(), false],
];

describe('a quota with scopes', () => {
  for (const [what, spec, object, isCounted] of scopeRows) {
    const { spec: podSpec, status } = object;
    it(`${isCounted ? 'counts' : 'leaves out'} ${JSON.stringify({ ...objectOf(podSpec), ...objectOf(status) })} as ${what}`, () => {
      const found = decide([quota('q', { pods: '5' }, { spec })], { object });
      assert.equal(found, isCounted ? 'q: pods=1' : '');
    });
  }

  it('counts claims by any of the VolumeAttributesClasses that concern them', () => {
    const matchExpressions = [
      { scopeName: 'VolumeAttributesClass', operator: 'In', values: ['b'] },
    ];
    const spec = { scopeSelector: { matchExpressions } };
    const q = quota('q', { persistentvolumeclaims: '1' }, { spec });
    const plural = 'persistentvolumeclaims';
    const wanted = { volumeAttributesClassName: 'a' };
    const modifyVolumeStatus = { targetVolumeAttributesClassName: 'b' };
    assert.equal(decide([q], { plural, object: { spec: wanted } }), '');
    const object = { spec: wanted, status: { modifyVolumeStatus } };
    assert.equal(decide([q], { plural, object }), 'q: persistentvolumeclaims=1');
  });

  it('counts nothing of kinds that have no scopes', () => {
    const q = quota(
      'q',
      { services: '0', 'count/toys.x.com': '0' },
      { spec: { scopes: ['BestEffort'] } },
    );
    assert.equal(decide([q], { plural: 'services', object: {} }), '');
    assert.equal(decide([q], { plural: 'toys', group: 'x.com', object: {} }), '');
  });
});

function objectOf(value: unknown): object {
  return typeof value === 'object' && value !== null ? value : {};
}
