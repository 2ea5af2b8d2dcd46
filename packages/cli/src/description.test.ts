import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FunctionObject } from '@fnlet/api';
import { formatDescription } from './description.ts';

function functionWith(change: Partial<FunctionObject['spec']>, reason?: string): FunctionObject {
  const status = reason === undefined ? 'True' : 'False';
  const lastTransitionTime = '2026-01-01T00:00:00Z';
  const ready = { type: 'Ready', status, reason: reason ?? 'Ready', message: 'so it is' } as const;
  return {
    apiVersion: 'fnlet.dev/v1alpha1',
    kind: 'Function',
    metadata: { name: 'hello', namespace: 'default' },
    spec: {
      runtime: 'nodejs24',
      handler: 'default',
      source: { inline: 'x' },
      allowInstallScripts: false,
      timeout: '30s',
      scale: { min: 0, max: 1, target: 1, limit: 0, idleAfter: '60s' },
      ...change,
    },
    status: { conditions: [{ ...ready, lastTransitionTime, observedGeneration: 1 }] },
  };
}

test('a description says that a Function is internal, and nothing where that is not so', () => {
  assert.match(describe(functionWith({ visibility: 'internal' })), /^Visibility: +internal$/m);
  assert.doesNotMatch(describe(functionWith({})), /Visibility/);
});

function describe(object: FunctionObject, reason?: string): string {
  const terminated = { exitCode: 137, ...(reason === undefined ? {} : { reason }) };
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'hello-1-abcde' },
    status: { phase: 'Running', containerStatuses: [{ ready: true, lastState: { terminated } }] },
  };
  return formatDescription({ function: object, pods: [pod], events: [], triggers: [], nowMs: 0 });
}

test('formatDescription() tells what surrounds the code, where something does', () => {
  const text = describe(
    functionWith({
      resources: { profile: 'S' },
      mounts: [
        { secret: 'a', path: '/etc/a' },
        { configMap: 'b', path: '/b' },
      ],
      serviceAccountName: 'reader',
    }),
  );
  assert.match(text, /Resources: +requests cpu 100m memory 128Mi, limits cpu 200m memory 256Mi\n/);
  assert.match(text, /Mounts: +Secret a at \/etc\/a, ConfigMap b at \/b\n/);
  assert.match(text, /Acts as: +reader\n/);
  assert.doesNotMatch(describe(functionWith({})), /Resources|Mounts|Acts as/);
});

test('formatDescription() tells where calls go, where that is worth a word', () => {
  const object = functionWith({});
  const told = (status: FunctionObject['status'] & object): string =>
    describe({ ...object, status: { ...object.status, ...status } });
  const plain = { revision: 'hello-1', latest: true, percent: 100 };
  assert.doesNotMatch(told({ traffic: [plain] }), /Traffic|Canary|Newest/);
  const traffic = [
    { ...plain, percent: 90 },
    { revision: 'hello-2', percent: 10, tag: 'next' },
  ];
  const since = '2026-01-01T00:00:00Z';
  const canary = { revision: 'hello-2', stable: 'hello-1', step: 1, since, digest: 'd' };
  const text = told({ traffic, canary: { phase: 'Progressing', ...canary } });
  assert.match(text, /Traffic: +90 % hello-1, 10 % hello-2 \(next\)\n/);
  assert.match(text, /Canary: +hello-2, step 1 of 1\n/);
  const resting = told({ traffic: [plain], canary: { phase: 'Progressing', ...canary } });
  assert.match(resting, /Canary: +hello-2, step 1 of 1, which gets no calls now\n/);
  const failed = told({ canary: { phase: 'RolledBack', ...canary, message: 'too slow' } });
  assert.match(failed, /Canary: +hello-2, rolled back: too slow\n/);
  assert.match(told({ revision: 'hello-1', latestRevision: 'hello-2' }), /Newest: +hello-2\n/);
});

test('formatDescription() tells cause and remedy', () => {
  for (const reason of [
    'OOMKilled',
    'ServiceAccountNotFound',
    'ResourcesInvalid',
    'CanaryFailed',
  ]) {
    const text = describe(functionWith({}, reason));
    assert.match(text, /What is wrong:\n {2}so it is\nWhat to do:\n {2}[A-Z]/);
  }
  assert.doesNotMatch(describe(functionWith({})), /What is wrong/);
});

test('formatDescription() tells how an Instance ended last', () => {
  assert.match(describe(functionWith({}), 'OOMKilled'), /LAST END[\s\S]*OOMKilled/);
});

test('formatDescription() tells how it scales, and why there are as many Instances', () => {
  const plain = functionWith({});
  assert.match(describe(plain), /Scale: +min 0, max 1, target 1, limit 0, idle after 60s\n/);
  assert.doesNotMatch(describe(plain), /Scaled:/);
  const metrics = [
    { rps: { target: 20 } },
    { prometheus: { name: 'jobs', url: 'http://p', query: 'q', target: 5 } },
  ];
  const scale = { ...plain.spec.scale, metrics, prediction: { ahead: '5m' } };
  const told = {
    from: 1,
    to: 4,
    reason: 'jobs 18 for a target of 5',
    time: '1970-01-01T00:00:00Z',
  };
  const scaled = { ...functionWith({ scale }), status: { scaling: told } };
  const text = formatDescription({
    function: scaled,
    pods: [],
    events: [],
    triggers: [],
    nowMs: 120_000,
  });
  assert.match(text, /max 1, target 20 rps, target 5 jobs, .*, predicted 5m ahead\n/);
  assert.match(text, /Scaled: +from 1 to 4, 2m ago: jobs 18 for a target of 5\n/);
});

test('formatDescription() lists the Triggers that lead to it', () => {
  const conflict = { type: 'Ready', status: 'False', reason: 'RouteConflict' } as const;
  const lastTransitionTime = '2026-01-01T00:00:00Z';
  const trigger = {
    apiVersion: 'fnlet.dev/v1alpha1',
    kind: 'Trigger',
    metadata: { name: 'shop', namespace: 'default' },
    spec: { source: { http: {} }, target: { function: 'hello' } },
    status: {
      type: 'http',
      url: 'http://shop.example.com/',
      conditions: [{ ...conflict, message: 'taken', lastTransitionTime, observedGeneration: 1 }],
    },
  };
  const nothing = { pods: [], events: [], nowMs: 0 };
  const text = formatDescription({
    ...{ ...nothing, function: functionWith({}), triggers: [trigger] },
  });
  assert.match(
    text,
    /Triggers:\n {2}NAME +TYPE +READY +URL\n {2}shop +http +False \(RouteConflict\) +http:\/\/shop/,
  );
  assert.doesNotMatch(describe(functionWith({})), /Triggers/);
});
