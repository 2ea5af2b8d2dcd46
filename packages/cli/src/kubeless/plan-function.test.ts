import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isJsonObject } from '@fnlet/base';
import { translateKubeless } from '@fnlet/functions/kubeless';
import { type FunctionFlags, pairs, planDeployment, planUpdate } from './plan-function.ts';

const key = { name: 'hello', namespace: 'default' };
const none: FunctionFlags = { label: [], secrets: [], env: [], nodeSelectors: [] };
const code = {
  function: 'x',
  'function-content-type': 'text',
  checksum: `sha256:${'0'.repeat(64)}`,
};

function deploy(flags: Partial<FunctionFlags> = {}): ReturnType<typeof planDeployment> {
  const given = { ...none, runtime: 'nodejs14', handler: 'hello.run', ...flags };
  return planDeployment({ ...key, flags: given, code });
}

/** The only container of its Deployment, and its Pod. */
function podOf(object: ReturnType<typeof planDeployment>): unknown {
  return ['spec', 'template', 'spec'].reduce<unknown>(
    (at, name) => (isJsonObject(at) ? at[name] : undefined),
    object.spec.deployment,
  );
}

describe('planDeployment()', () => {
  test('has the defaults of the command', () => {
    assert.deepEqual(deploy(), {
      apiVersion: 'kubeless.io/v1beta1',
      kind: 'Function',
      metadata: { ...key, labels: { 'created-by': 'kubeless' } },
      spec: {
        handler: 'hello.run',
        runtime: 'nodejs14',
        timeout: '180',
        ...code,
        deployment: { spec: { template: { spec: { containers: [{}] } } } },
        service: {
          type: 'ClusterIP',
          selector: { 'created-by': 'kubeless', function: 'hello' },
          ports: [{ name: 'http-function-port', protocol: 'TCP', port: 8080, targetPort: 8080 }],
        },
      },
    });
  });

  const cases: readonly (readonly [string, Partial<FunctionFlags>, object])[] = [
    [
      'variables with either separator, or without a value',
      { env: ['A=1=2', 'B:b', 'C'] },
      {
        containers: [
          {
            env: [
              { name: 'A', value: '1=2' },
              { name: 'B', value: 'b' },
              { name: 'C', value: '' },
            ],
          },
        ],
      },
    ],
    [
      'bounds as request and limit, only those that are given',
      { memory: '64Mi' },
      { containers: [{ resources: { limits: { memory: '64Mi' }, requests: { memory: '64Mi' } } }] },
    ],
    [
      'Secrets at their names',
      { secrets: ['key'] },
      {
        volumes: [{ name: 'key-vol', secret: { secretName: 'key' } }],
        containers: [{ volumeMounts: [{ name: 'key-vol', mountPath: '/key' }] }],
      },
    ],
    [
      'ServiceAccount, nodes, image and its policy',
      {
        serviceAccount: 'me',
        nodeSelectors: ['disk=ssd'],
        runtimeImage: 'own',
        imagePullPolicy: 'Never',
      },
      {
        serviceAccountName: 'me',
        nodeSelector: { disk: 'ssd' },
        containers: [{ image: 'own', imagePullPolicy: 'Never' }],
      },
    ],
  ];
  for (const [name, flags, pod] of cases) {
    test(`writes ${name}`, () => assert.deepEqual(podOf(deploy(flags)), pod));
  }

  test('makes what Fnlet runs', () => {
    const translation = translateKubeless(deploy({ env: ['A=1'], secrets: ['key'], cpu: '100m' }));
    assert.ok(translation.kind === 'translated');
    const { env = [], mounts, resources } = translation.function.spec;
    assert.deepEqual(env[0], { name: 'A', value: '1' });
    assert.deepEqual(mounts, [{ secret: 'key', path: '/key' }]);
    assert.deepEqual(resources?.limits, { cpu: '100m' });
  });
});

describe('planUpdate()', () => {
  const before = deploy({
    timeout: '20',
    port: 9000,
    env: ['A=1'],
    secrets: ['key'],
    label: ['team=a'],
    memory: '64Mi',
  });

  test('changes nothing without flags', () => {
    assert.deepEqual(planUpdate(before, { ...key, flags: none }), before);
  });

  test('changes what is named and keeps the rest', () => {
    const flags = { ...none, env: ['B=2'], secrets: ['other', 'key'], label: ['x=y'], cpu: '1' };
    const after = planUpdate(before, { ...key, flags, dependencies: '{}' });
    assert.deepEqual(after.metadata.labels, { 'created-by': 'kubeless', team: 'a', x: 'y' });
    const { deployment: _, ...spec } = before.spec;
    const { deployment: __, ...changed } = after.spec;
    assert.deepEqual(changed, { ...spec, deps: '{}' });
    const bounds = { memory: '64Mi', cpu: '1' };
    assert.deepEqual(podOf(after), {
      volumes: ['key', 'other'].map((name) => ({
        name: `${name}-vol`,
        secret: { secretName: name },
      })),
      containers: [
        {
          env: [{ name: 'B', value: '2' }],
          resources: { limits: bounds, requests: bounds },
          volumeMounts: ['key', 'other'].map((name) => ({
            name: `${name}-vol`,
            mountPath: `/${name}`,
          })),
        },
      ],
    });
  });
});

test('pairs() splits at the first separator', () => {
  assert.deepEqual(pairs(['a:b=c', 'd=e:f', 'g']), { a: 'b=c', d: 'e:f', g: '' });
});
