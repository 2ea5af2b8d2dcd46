import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { withFields } from '../../src/object/object-form.ts';
import { KindUnderTest } from './kind-under-test.ts';

const deployments = new KindUnderTest('apps/v1', 'deployments');

const good = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web' },
  spec: {
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: { containers: [{ name: 'c', image: 'img:1' }] },
    },
  },
};

describe('Deployment', () => {
  it('has the defaults of apps/v1', () => {
    const { spec, status } = deployments.create(good);
    assert.deepEqual(spec, {
      replicas: 1,
      selector: { matchLabels: { app: 'web' } },
      template: {
        metadata: { labels: { app: 'web' } },
        spec: {
          containers: [
            {
              name: 'c',
              image: 'img:1',
              resources: {},
              terminationMessagePath: '/dev/termination-log',
              terminationMessagePolicy: 'File',
              imagePullPolicy: 'IfNotPresent',
            },
          ],
          restartPolicy: 'Always',
          terminationGracePeriodSeconds: 30,
          dnsPolicy: 'ClusterFirst',
          securityContext: {},
          schedulerName: 'default-scheduler',
        },
      },
      strategy: {
        type: 'RollingUpdate',
        rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%' },
      },
      revisionHistoryLimit: 10,
      progressDeadlineSeconds: 600,
    });
    assert.deepEqual(status, {});
  });

  it('keeps its defaults when they are applied again', () => {
    const once = deployments.complete(good);
    assert.deepEqual(deployments.complete(once), once);
  });

  const labels = 'spec.template.metadata.labels';
  const pod = 'spec.template.spec';
  const mismatch = '`selector` does not match template `labels`';
  deployments.refuses(good, [
    ['spec.replicas', 0],
    ['spec.replicas', -1, 'spec.replicas: Invalid value: -1: must be greater than or equal to 0'],
    [
      'spec.selector',
      undefined,
      'spec.selector: Required value',
      `${labels}: Invalid value: {"app":"web"}: ${mismatch}`,
    ],
    [
      'spec.selector',
      {},
      'spec.selector: Invalid value: {}: empty selector is invalid for deployment',
    ],
    [labels, { app: 'x' }, `${labels}: Invalid value: {"app":"x"}: ${mismatch}`],
    [`${pod}.containers`, undefined, `${pod}.containers: Required value`],
    [`${pod}.containers[0].image`, '', `${pod}.containers[0].image: Required value`],
    [
      `${pod}.restartPolicy`,
      'Never',
      `${pod}.restartPolicy: Unsupported value: "Never": supported values: "Always"`,
    ],
    [
      `${pod}.activeDeadlineSeconds`,
      5,
      `${pod}.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in ReplicaSet is not Supported`,
    ],
    ['spec.strategy', { type: 'Recreate' }],
    [
      'spec.strategy',
      { type: 'Recreate', rollingUpdate: {} },
      "spec.strategy.rollingUpdate: Forbidden: may not be specified when strategy `type` is 'Recreate'",
    ],
    [
      'spec.strategy.type',
      'Sudden',
      'spec.strategy: Unsupported value: {"Type":"Sudden","RollingUpdate":null}: supported values: "Recreate", "RollingUpdate"',
    ],
    ['spec.strategy.rollingUpdate', { maxUnavailable: 1, maxSurge: 0 }],
    [
      'spec.strategy.rollingUpdate',
      { maxUnavailable: 0, maxSurge: '0%' },
      'spec.strategy.rollingUpdate.maxUnavailable: Invalid value: 0: may not be 0 when `maxSurge` is 0',
    ],
    [
      'spec.strategy.rollingUpdate.maxUnavailable',
      '101%',
      'spec.strategy.rollingUpdate.maxUnavailable: Invalid value: "101%": must not be greater than 100%',
    ],
    [
      'spec.minReadySeconds',
      600,
      'spec.progressDeadlineSeconds: Invalid value: 600: must be greater than minReadySeconds',
    ],
    [
      'spec.revisionHistoryLimit',
      -1,
      'spec.revisionHistoryLimit: Invalid value: -1: must be greater than or equal to 0',
    ],
  ]);

  deployments.refusesChange(good, [
    ['spec.replicas', 3],
    [`${pod}.containers[0].image`, 'img:2'],
    [
      'spec.selector.matchLabels',
      { app: 'other' },
      `${labels}: Invalid value: {"app":"web"}: ${mismatch}`,
      'spec.selector: Invalid value: {"matchLabels":{"app":"other"}}: field is immutable',
    ],
  ]);

  it('asks nothing of the spec when a controller writes the status', () => {
    const broken = withFields(deployments.create(good), { spec: {} });
    assert.deepEqual(deployments.refusals(broken, broken, 'status'), []);
  });

  it('shows what kubectl shows', () => {
    assert.deepEqual(deployments.columns(), [
      ['Name', 'Ready', 'Up-to-date', 'Available', 'Age'],
      ['Containers', 'Images', 'Selector'],
    ]);
    const status = { replicas: 3, readyReplicas: 2, updatedReplicas: 3, availableReplicas: 1 };
    const deployment = withFields(deployments.create(good), { status });
    assert.deepEqual(Object.values(deployments.cells(deployment)), [
      'web',
      '2/1',
      3,
      1,
      '60m',
      'c',
      'img:1',
      'app=web',
    ]);
  });
});
