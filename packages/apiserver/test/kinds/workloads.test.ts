import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { listField, objectField, withFields } from '../../src/object/object-form.ts';
import { KindUnderTest } from './kind-under-test.ts';

const template = {
  metadata: { labels: { app: 'web' } },
  spec: { containers: [{ name: 'c', image: 'img:1' }] },
};
const spec = { selector: { matchLabels: { app: 'web' } }, template };
const podSpec = 'spec.template.spec';

function workload(kind: string, rest: object = {}) {
  return { apiVersion: 'apps/v1', kind, metadata: { name: 'w' }, spec: { ...spec, ...rest } };
}

describe('ReplicaSet', () => {
  const sets = new KindUnderTest('apps/v1', 'replicasets');
  const good = workload('ReplicaSet');
  it('wants one Pod by default', () => {
    const set = sets.create(good);
    assert.equal(objectField(set, 'spec').replicas, 1);
    assert.deepEqual(set.status, { replicas: 0 });
  });
  sets.refuses(good, [
    [
      'spec.minReadySeconds',
      -1,
      'spec.minReadySeconds: Invalid value: -1: must be greater than or equal to 0',
    ],
    [`${podSpec}.containers[0].name`, '', `${podSpec}.containers[0].name: Required value`],
  ]);
  sets.refusesChange(good, [
    [
      'spec.selector',
      { matchLabels: { app: 'web' }, matchExpressions: [{ key: 'app', operator: 'Exists' }] },
      'spec.selector: Invalid value: {"matchLabels":{"app":"web"},"matchExpressions":[{"key":"app","operator":"Exists"}]}: field is immutable',
    ],
  ]);
  it('shows what kubectl shows', () => {
    const set = withFields(sets.create(good), { status: { replicas: 1, readyReplicas: 1 } });
    assert.deepEqual(sets.cells(set), {
      Name: 'w',
      Desired: 1,
      Current: 1,
      Ready: 1,
      Age: '60m',
      Containers: 'c',
      Images: 'img:1',
      Selector: 'app=web',
    });
  });
});

describe('StatefulSet', () => {
  const sets = new KindUnderTest('apps/v1', 'statefulsets');
  const claim = {
    metadata: { name: 'data' },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  };
  const good = workload('StatefulSet', { serviceName: 'w', volumeClaimTemplates: [claim] });
  it('has the defaults of apps/v1', () => {
    const { spec: found, status } = sets.create(good);
    assert.deepEqual(found, {
      ...objectField(sets.complete(good), 'spec'),
      replicas: 1,
      podManagementPolicy: 'OrderedReady',
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
      revisionHistoryLimit: 10,
      persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' },
      volumeClaimTemplates: [
        {
          apiVersion: 'v1',
          kind: 'PersistentVolumeClaim',
          ...claim,
          spec: { ...claim.spec, volumeMode: 'Filesystem' },
          status: { phase: 'Pending' },
        },
      ],
    });
    assert.deepEqual(status, { replicas: 0, availableReplicas: 0 });
  });
  const mount = (name: string) => [{ name, mountPath: '/data' }];
  const template = objectField(objectField(good, 'spec'), 'template');
  const [container = {}] = listField(objectField(template, 'spec'), 'containers');
  const pod = { containers: [{ ...container, volumeMounts: mount('data') }] };
  const spec = { ...objectField(good, 'spec'), template: { ...template, spec: pod } };
  // What a claim brings may be mounted, and nothing else that is not there.
  sets.refuses({ ...good, spec }, [
    [
      'spec.template.spec.containers[0].volumeMounts',
      mount('other'),
      'spec.template.spec.containers[0].volumeMounts[0].name: Not found: "other"',
    ],
  ]);
  sets.refuses(good, [
    [
      'spec.podManagementPolicy',
      'Chaos',
      "spec.podManagementPolicy: Invalid value: \"Chaos\": must be 'OrderedReady' or 'Parallel'",
    ],
    [
      'spec.updateStrategy',
      { type: 'Now' },
      `spec.updateStrategy: Invalid value: {"Type":"Now","RollingUpdate":null}: must be 'RollingUpdate' or 'OnDelete'`,
    ],
    [
      'spec.updateStrategy',
      { type: 'OnDelete', rollingUpdate: { partition: 1 } },
      'spec.updateStrategy.rollingUpdate: Invalid value: {"partition":1}: only allowed for updateStrategy \'RollingUpdate\'',
    ],
    [
      'spec.selector',
      {},
      'spec.selector: Invalid value: {}: empty selector is invalid for statefulset',
    ],
    [
      'spec.template.spec.activeDeadlineSeconds',
      3,
      'spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in StatefulSet is not Supported',
    ],
  ]);
  const only =
    "spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', " +
    "'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' " +
    "and 'minReadySeconds' are forbidden";
  sets.refusesChange(good, [
    ['spec.replicas', 5],
    [`${podSpec}.containers[0].image`, 'img:2'],
    ['spec.serviceName', 'other', only],
    ['spec.podManagementPolicy', 'Parallel', only],
  ]);
  it('shows what kubectl shows', () => {
    assert.deepEqual(sets.columns(), [
      ['Name', 'Ready', 'Age'],
      ['Containers', 'Images'],
    ]);
    assert.equal(sets.cells(sets.create(good)).Ready, '0/1');
  });
});

describe('DaemonSet', () => {
  const sets = new KindUnderTest('apps/v1', 'daemonsets');
  const good = workload('DaemonSet');
  it('has the defaults of apps/v1', () => {
    const set = sets.create(good);
    assert.deepEqual(objectField(set, 'spec').updateStrategy, {
      type: 'RollingUpdate',
      rollingUpdate: { maxUnavailable: 1, maxSurge: 0 },
    });
    assert.deepEqual(set.metadata.annotations, {
      'deprecated.daemonset.template.generation': '1',
    });
  });
  const rolling = 'spec.updateStrategy.rollingUpdate';
  sets.refuses(good, [
    [rolling, { maxUnavailable: 0, maxSurge: 1 }],
    [
      rolling,
      { maxUnavailable: 0 },
      `${rolling}.maxUnavailable: Required value: cannot be 0 when maxSurge is 0`,
    ],
    [
      rolling,
      { maxUnavailable: 1, maxSurge: 1 },
      `${rolling}.maxSurge: Invalid value: 1: may not be set when maxUnavailable is non-zero`,
    ],
    [
      'spec.updateStrategy.type',
      'Never',
      'spec.updateStrategy: Unsupported value: {"Type":"Never","RollingUpdate":null}: supported values: "RollingUpdate", "OnDelete"',
    ],
  ]);
  it('shows what kubectl shows', () => {
    const set = sets.create(
      workload('DaemonSet', {
        template: { ...template, spec: { ...template.spec, nodeSelector: { b: '2', a: '1' } } },
      }),
    );
    assert.deepEqual(Object.values(sets.cells(set)), [
      'w',
      0,
      0,
      0,
      0,
      0,
      'a=1,b=2',
      '60m',
      'c',
      'img:1',
      'app=web',
    ]);
  });
});

describe('ReplicationController', () => {
  const controllers = new KindUnderTest('v1', 'replicationcontrollers');
  const good = {
    apiVersion: 'v1',
    kind: 'ReplicationController',
    metadata: { name: 'w' },
    spec: { template },
  };
  it('takes its selector and its labels from its template', () => {
    const controller = controllers.create(good);
    assert.deepEqual(objectField(controller, 'spec').selector, { app: 'web' });
    assert.deepEqual(controller.metadata.labels, { app: 'web' });
    assert.equal(objectField(controller, 'spec').replicas, 1);
  });
  controllers.refuses(good, [
    ['spec', {}, 'spec.selector: Required value', 'spec.template: Required value'],
    [
      'spec.selector',
      { app: 'x' },
      'spec.template.metadata.labels: Invalid value: {"app":"web"}: `selector` does not match template `labels`',
    ],
  ]);
  it('shows what kubectl shows', () => {
    assert.deepEqual(Object.values(controllers.cells(controllers.create(good))), [
      'w',
      1,
      0,
      0,
      '60m',
      'c',
      'img:1',
      'app=web',
    ]);
  });
});
