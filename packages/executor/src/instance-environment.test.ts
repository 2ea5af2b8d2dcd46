import assert from 'node:assert/strict';
import { test } from 'node:test';
import { revisionFixture } from '../test/revision-fixture.ts';
import type { RunnableRevision } from './executor.ts';
import { instanceEnvironment } from './instance-environment.ts';

const node = { name: 'laptop', capacity: { cpu: '8', memory: '1073741824' } };
const address = { socketPath: '/s', host: '127.4.5.6', port: 8080 };

function environmentOf(changes: Partial<RunnableRevision>): Readonly<Record<string, string>> {
  const revision = revisionFixture(changes);
  return instanceEnvironment({ id: 'hello-00001-abcde', revision, address }, node);
}

test('instanceEnvironment() is that of the Revision where nothing differs between Instances', () => {
  assert.deepEqual(environmentOf({}), { GREETING: 'hello' });
});

test('instanceEnvironment() tells an Instance what its Pod is', () => {
  const field = (name: string, fieldPath: string) => ({ name, fieldPath });
  const env = environmentOf({
    labels: { tier: 'front' },
    annotations: { 'example.org/a b': 'c' },
    serviceAccountName: 'reader',
    variables: [
      field('GREETING', 'metadata.name'),
      field('NAMESPACE', 'metadata.namespace'),
      field('TIER', "metadata.labels['tier']"),
      field('NOTE', "metadata.annotations['example.org/a b']"),
      field('NONE', "metadata.labels['none']"),
      field('NODE', 'spec.nodeName'),
      field('ACCOUNT', 'spec.serviceAccountName'),
      field('IP', 'status.podIP'),
      field('HOST', 'status.hostIP'),
    ],
  });
  assert.deepEqual(env, {
    GREETING: 'hello-00001-abcde',
    NAMESPACE: 'default',
    TIER: 'front',
    NOTE: 'c',
    NONE: '',
    NODE: 'laptop',
    ACCOUNT: 'reader',
    IP: '127.4.5.6',
    HOST: '127.0.0.1',
  });
});

test('instanceEnvironment() counts resources in units of the divisor, rounded up', () => {
  const of = (resource: string, divisor?: string | number) => ({
    name: `${resource}/${divisor}`,
    resource: { resource, ...(divisor === undefined ? {} : { divisor }) },
  });
  const env = environmentOf({
    env: {},
    resources: { requests: { cpu: '250m' }, limits: { memory: '100Mi' } },
    variables: [
      of('limits.memory'),
      of('limits.memory', '1Gi'),
      of('limits.memory', 0),
      of('requests.cpu', '1m'),
      of('requests.cpu'),
      of('limits.cpu'),
    ],
  });
  assert.deepEqual(env, {
    'limits.memory/undefined': '104857600',
    'limits.memory/1Gi': '1',
    'limits.memory/0': '104857600',
    'requests.cpu/1m': '250',
    'requests.cpu/undefined': '1',
    'limits.cpu/undefined': '8',
  });
});
