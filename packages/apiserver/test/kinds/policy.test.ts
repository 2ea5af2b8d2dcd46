import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { objectField, withFields } from '../../src/object/object-form.ts';
import { KindUnderTest } from './kind-under-test.ts';

describe('PodDisruptionBudget', () => {
  const budgets = new KindUnderTest('policy/v1', 'poddisruptionbudgets');
  const good = {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: 'pdb' },
    spec: { minAvailable: '50%', selector: { matchLabels: { a: 'b' } } },
  };
  budgets.refuses(good, [
    ['spec.minAvailable', 0],
    [
      'spec.minAvailable',
      '150%',
      'spec.minAvailable: Invalid value: "150%": must not be greater than 100%',
    ],
    [
      'spec.minAvailable',
      -1,
      'spec.minAvailable: Invalid value: -1: must be greater than or equal to 0',
    ],
    [
      'spec',
      { minAvailable: 1, maxUnavailable: 1 },
      'spec: Invalid value: {"minAvailable":1,"maxUnavailable":1}: minAvailable and maxUnavailable cannot be both set',
    ],
    [
      'spec.unhealthyPodEvictionPolicy',
      'Never',
      'spec.unhealthyPodEvictionPolicy: Unsupported value: "Never": supported values: "AlwaysAllow", "IfHealthyBudget"',
    ],
  ]);
  it('shows what kubectl shows', () => {
    assert.deepEqual(Object.values(budgets.cells(budgets.create(good))), [
      'pdb',
      '50%',
      'N/A',
      0,
      '60m',
    ]);
  });
});

describe('ResourceQuota', () => {
  const quotas = new KindUnderTest('v1', 'resourcequotas');
  const good = {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { name: 'q' },
    spec: { hard: { pods: '10', 'limits.cpu': '4', 'count/deployments.apps': '2' } },
  };
  quotas.refuses(good, [
    [
      'spec.hard',
      { apples: '3' },
      'spec.hard[apples]: Invalid value: "apples": must be a standard resource type or fully qualified',
      'spec.hard[apples]: Invalid value: "apples": must be a standard resource for quota',
    ],
    [
      'spec.hard',
      { pods: '-1' },
      'spec.hard[pods]: Invalid value: "-1": must be greater than or equal to 0',
    ],
    [
      'spec.scopes',
      ['BestEffort', 'NotBestEffort'],
      'spec.scopes: Invalid value: ["BestEffort","NotBestEffort"]: unsupported scope applied to resource',
      'spec.scopes: Invalid value: ["BestEffort","NotBestEffort"]: conflicting scopes',
    ],
    [
      'spec.scopes',
      ['VolumeAttributesClass'],
      'spec.scopes: Invalid value: ["VolumeAttributesClass"]: unsupported scope applied to resource',
      'spec.scopes: Invalid value: ["VolumeAttributesClass"]: unsupported scope applied to resource',
    ],
    [
      'spec.scopeSelector',
      { matchExpressions: [{ scopeName: 'BestEffort', operator: 'DoesNotExist' }] },
      'spec.scopeSelector.matchExpressions: Invalid value: {"MatchExpressions":[{"ScopeName":"BestEffort","Operator":"DoesNotExist","Values":null}]}: unsupported scope applied to resource',
      'spec.scopeSelector.matchExpressions.operator: Invalid value: "DoesNotExist": must be \'Exists\' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity',
    ],
    ['spec.scopes', ['Blue'], 'spec.scopes: Invalid value: ["Blue"]: unsupported scope'],
    [
      'spec.scopeSelector',
      { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In' }] },
      "spec.scopeSelector.matchExpressions.values: Required value: must be at least one value when `operator` is 'In' or 'NotIn' for scope selector",
    ],
  ]);
  quotas.refusesChange(good, [
    ['spec.hard', { pods: '20' }],
    [
      'spec.scopes',
      ['BestEffort'],
      'spec.scopes: Invalid value: ["BestEffort"]: unsupported scope applied to resource',
      'spec.scopes: Invalid value: ["BestEffort"]: field is immutable',
    ],
  ]);
  it('shows what kubectl shows', () => {
    const status = { hard: good.spec.hard, used: { pods: '3' } };
    assert.deepEqual(quotas.cells(withFields(quotas.create(good), { status })), {
      Name: 'q',
      Request: 'count/deployments.apps: 0/2, pods: 3/10',
      Limit: 'limits.cpu: 0/4',
      Age: '60m',
    });
  });
});

describe('LimitRange', () => {
  const ranges = new KindUnderTest('v1', 'limitranges');
  const limit = { type: 'Container', max: { cpu: '2' }, min: { memory: '64Mi' } };
  const good = {
    apiVersion: 'v1',
    kind: 'LimitRange',
    metadata: { name: 'lr' },
    spec: { limits: [limit] },
  };
  it('has the defaults of core/v1', () => {
    assert.deepEqual(objectField(ranges.create(good), 'spec').limits, [
      { ...limit, default: { cpu: '2' }, defaultRequest: { cpu: '2', memory: '64Mi' } },
    ]);
  });
  const l = 'spec.limits[0]';
  ranges.refuses(good, [
    [
      `${l}.type`,
      'Car',
      `${l}.type: Invalid value: "Car": must be a standard limit type or fully qualified`,
    ],
    [
      `${l}.min`,
      { cpu: '3' },
      `${l}.min[cpu]: Invalid value: "3": min value 3 is greater than max value 2`,
      `${l}.defaultRequest[cpu]: Invalid value: "2": min value 3 is greater than default request value 2`,
      `${l}.default[cpu]: Invalid value: "3": min value 3 is greater than default value 2`,
    ],
    [
      l,
      { type: 'Pod', default: { cpu: '1' } },
      `${l}.default: Forbidden: may not be specified when \`type\` is 'Pod'`,
    ],
    [
      l,
      { type: 'PersistentVolumeClaim' },
      `${l}.limits: Required value: either minimum or maximum storage value is required, but neither was provided`,
    ],
    [
      `${l}.maxLimitRequestRatio`,
      { cpu: '500m' },
      `${l}.maxLimitRequestRatio[cpu]: Invalid value: "500m": ratio 500m is less than 1`,
    ],
    ['spec.limits[1]', limit, 'spec.limits[1].type: Duplicate value: "Container"'],
  ]);
  it('shows what kubectl shows', () => {
    assert.deepEqual(ranges.cells(ranges.create(good)), {
      Name: 'lr',
      'Created At': '2026-01-01T00:00:00Z',
    });
  });
});

describe('PriorityClass', () => {
  const classes = new KindUnderTest('scheduling.k8s.io/v1', 'priorityclasses');
  const good = {
    apiVersion: 'scheduling.k8s.io/v1',
    kind: 'PriorityClass',
    metadata: { name: 'high' },
    value: 1000,
  };
  classes.refuses(good, [
    ['value', 1_000_000_000],
    [
      'value',
      1_000_000_001,
      'value: Forbidden: maximum allowed value of a user defined priority is 1000000000',
    ],
    [
      'metadata.name',
      'system-mine',
      "metadata.name: Forbidden: priority class names with 'system-' prefix are reserved for system use only. error: system-mine is not a known system priority class",
    ],
    [
      'preemptionPolicy',
      'Always',
      'preemptionPolicy: Unsupported value: "Always": supported values: "PreemptLowerPriority", "Never"',
    ],
  ]);
  classes.refusesChange(good, [
    ['value', 5, 'value: Forbidden: may not be changed in an update.'],
    ['preemptionPolicy', 'Never', 'preemptionPolicy: Invalid value: "Never": field is immutable'],
    ['globalDefault', true],
  ]);
  it('shows what kubectl shows', () => {
    assert.deepEqual(Object.values(classes.cells(classes.create(good))), [
      'high',
      1000,
      false,
      '60m',
      'PreemptLowerPriority',
    ]);
  });
});

describe('Node', () => {
  const nodes = new KindUnderTest('v1', 'nodes');
  const good = {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'n', labels: { 'node-role.kubernetes.io/control-plane': '' } },
    spec: { podCIDR: '10.0.0.0/24', podCIDRs: ['10.0.0.0/24'] },
  };
  nodes.refuses(good, [
    ['spec.taints', [{ key: 'a', effect: 'NoSchedule' }]],
    [
      'spec.taints',
      [{ key: 'a', effect: 'Now' }],
      'metadata.taints[0].effect: Unsupported value: "Now": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"',
    ],
    [
      'spec.taints',
      [
        { key: 'a', effect: 'NoSchedule' },
        { key: 'a', effect: 'NoSchedule' },
      ],
      'metadata.taints[1]: Duplicate value: {"key":"a","effect":"NoSchedule"}: taints must be unique by key and effect pair',
    ],
  ]);
  nodes.refusesChange(good, [
    ['spec.unschedulable', true],
    ['spec.providerID', 'cloud://1'],
    [
      'spec.podCIDR',
      '10.1.0.0/24',
      'spec.podCIDR: Forbidden: node updates may not change podCIDR except from "" to valid',
    ],
  ]);
  it('shows what kubectl shows', () => {
    const status = {
      conditions: [{ type: 'Ready', status: 'True' }],
      addresses: [{ type: 'InternalIP', address: '10.0.0.9' }],
      nodeInfo: { kubeletVersion: 'v1.34.0', osImage: 'Debian' },
    };
    const node = withFields(nodes.create({ ...good, spec: { unschedulable: true } }), { status });
    assert.deepEqual(nodes.cells(node), {
      Name: 'n',
      Status: 'Ready,SchedulingDisabled',
      Roles: 'control-plane',
      Age: '60m',
      Version: 'v1.34.0',
      'Internal-IP': '10.0.0.9',
      'External-IP': '<none>',
      'OS-Image': 'Debian',
      'Kernel-Version': '<unknown>',
      'Container-Runtime': '<unknown>',
    });
  });
});
