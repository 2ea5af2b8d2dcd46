import assert from 'node:assert/strict';
import { test } from 'node:test';
import { referencesOf } from './object-reference.ts';

function named(spec: object): readonly string[] {
  const object = { apiVersion: 'fnlet.dev/v1alpha1', kind: 'Any', metadata: { name: 'a' }, spec };
  return referencesOf(object).map(({ kind, name }) => `${kind}/${name}`);
}

const cases: readonly (readonly [what: string, spec: object, expected: readonly string[]])[] = [
  [
    'the environment of a Function, each once',
    {
      env: [
        { name: 'A', valueFrom: { secretKeyRef: { name: 's', key: 'a' } } },
        { name: 'B', valueFrom: { configMapKeyRef: { name: 'c', key: 'b' } } },
        { name: 'C', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
      ],
      envFrom: [{ secretRef: { name: 's' } }, { configMapRef: { name: 'd' } }],
    },
    ['Secret/s', 'ConfigMap/c', 'ConfigMap/d'],
  ],
  [
    'mounts and accounts',
    {
      mounts: [
        { secret: 's', path: '/s' },
        { configMap: 'c', path: '/c' },
      ],
      serviceAccountName: 'r',
    },
    ['Secret/s', 'ConfigMap/c', 'ServiceAccount/r'],
  ],
  ['the account that every namespace has', { serviceAccountName: 'default' }, []],
  [
    'sources',
    {
      source: {
        git: { url: 'x', secretRef: { name: 'g' }, webhook: { secretRef: { name: 'w' } } },
      },
    },
    ['Secret/g', 'Secret/w'],
  ],
  ['a ConfigMap as source', { source: { configMap: { name: 'code' } } }, ['ConfigMap/code']],
  [
    'code is not looked into',
    { source: { files: { secret: 'text', 'a.json': '{"secretName": "no"}' }, inline: 'secret' } },
    [],
  ],
  [
    'routes',
    {
      source: {
        http: {
          tls: { secretName: 't' },
          auth: { anyOf: [{ apiKey: { secret: 'k' } }, { basic: { secret: 'b' } }] },
          events: { signature: { secret: { name: 'e', key: 'token' } } },
        },
      },
    },
    ['Secret/t', 'Secret/k', 'Secret/b', 'Secret/e'],
  ],
  ['event sources', { source: { kafka: { secret: 'kafka' } } }, ['Secret/kafka']],
  [
    'the Pod of a custom source',
    {
      source: {
        custom: {
          template: {
            metadata: { labels: { secret: 'no' } },
            spec: {
              imagePullSecrets: [{ name: 'pull' }],
              volumes: [
                { name: 'v', secret: { secretName: 'vs' } },
                { name: 'w', configMap: { name: 'vc' } },
              ],
              containers: [{ args: ['secret'], env: [{ name: 'secret', value: 'x' }] }],
            },
          },
        },
      },
    },
    ['Secret/pull', 'Secret/vs', 'ConfigMap/vc'],
  ],
  [
    'an Operator with a function of its own',
    {
      reconcile: { env: [{ valueFrom: { secretKeyRef: { name: 'o' } } }] },
      crds: [{ secret: 'no' }],
    },
    ['Secret/o'],
  ],
];

for (const [what, spec, expected] of cases) {
  test(`referencesOf() finds ${what}`, () => assert.deepEqual(named(spec), expected));
}
