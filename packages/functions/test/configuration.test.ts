// What a function finds around its code, and how it follows what is written in the API.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ArtifactError } from '@fnlet/executor';
import { createMachine, namespace, World } from './world.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');

const accountType = {
  group: '',
  version: 'v1',
  kind: 'ServiceAccount',
  plural: 'serviceaccounts',
  namespaced: true,
};

/** The text of the one file of this name, whichever Revision sees it. */
function textOf(world: World, file: string): string | undefined {
  const found = Object.entries(world.mounts.texts()).filter(([path]) => path.endsWith(`/${file}`));
  assert.ok(found.length <= 1);
  return found[0]?.[1];
}

async function createAccount(world: World, name: string): Promise<void> {
  const accounts = world.client.of(accountType);
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace } };
  await accounts.apply(account, { force: true });
}

test('files of mounts follow the Secret, and the Revision stays', async () => {
  await using world = await new World(createMachine()).start();
  await world.put('Secret', 's', { key: base64('first') });
  await world.apply('hello', { mounts: [{ secret: 's', path: '/etc/s' }] });
  const { status } = await world.ready('hello');
  assert.equal(textOf(world, 'key'), 'first');
  await world.put('Secret', 's', { key: base64('second') });
  await world.until(() => textOf(world, 'key') === 'second');
  await world.remove('Secret', 's');
  const ready = await world.condition('hello', 'Ready', 'False');
  assert.equal(ready.reason, 'EnvironmentNotFound');
  assert.equal(textOf(world, 'key'), 'second', 'what runs keeps its files');
  assert.equal((await world.get('hello')).status?.revision, status?.revision);
  assert.equal(await world.call('hello'), status?.revision);
});

test('a function acts as the account that it names', async () => {
  await using world = await new World(createMachine()).start();
  await world.apply('hello', { serviceAccountName: 'reader' });
  const missing = await world.condition('hello', 'Ready', 'False');
  assert.equal(missing.reason, 'ServiceAccountNotFound');
  assert.match(missing.message ?? '', /ServiceAccount "reader" does not exist: create it/);
  await createAccount(world, 'reader');
  await world.ready('hello');
  const token = textOf(world, 'token');
  const [, claims = ''] = (token ?? '').split('.');
  const { sub } = JSON.parse(Buffer.from(claims, 'base64url').toString());
  assert.equal(sub, `system:serviceaccount:${namespace}:reader`);
  assert.equal(textOf(world, 'ca.crt'), 'CA');
  assert.equal(textOf(world, 'namespace'), namespace);
  const [instance] = world.executor.instances();
  assert.equal(instance?.revision.env.KUBERNETES_SERVICE_HOST, '127.0.0.1');
  assert.equal(instance?.revision.env.KUBERNETES_SERVICE_PORT, '7443');
  assert.equal(instance?.revision.serviceAccountName, 'reader');

  await world.advance(13 * 3_600_000);
  await world.until(() => textOf(world, 'token') !== token);
});

test('a function without an account has none', async () => {
  await using world = await new World(createMachine()).start();
  await world.apply('hello', {});
  await world.ready('hello');
  assert.deepEqual(world.mounts.texts(), {});
  const [instance] = world.executor.instances();
  assert.deepEqual(instance?.revision.env, {});
});

test('packages are installed as the registry Secret of the namespace says', async () => {
  await using world = await new World(createMachine()).start();
  const npmrc = 'registry=http://registry.example\n';
  await world.put('Secret', 'serverless-package-registry-config', {
    '.npmrc': base64(npmrc),
  });
  await world.apply('plain', {});
  // Packages of the images of others need not be declared.
  await world.apply('imaged', { compatibility: 'kyma' });
  await world.apply('packed', { dependencies: '{"dependencies":{"a":"1"}}' });
  await Promise.all(['plain', 'imaged', 'packed'].map((name) => world.ready(name)));
  const stored = [...world.machine.artifacts.stored.values()];
  const found = stored.map(({ dependencies, npmrc: used }) => [dependencies !== undefined, used]);
  assert.deepEqual(found.sort(), [
    [false, undefined],
    [false, npmrc],
    [true, npmrc],
  ]);
});

test('a failed installation is tried again as soon as the registry Secret changes', async () => {
  await using world = await new World(createMachine()).start();
  const denied = new ArtifactError('RegistryDenied', 'not for you');
  const refused = Promise.reject(denied);
  refused.catch(() => {});
  world.machine.artifacts.gate = refused;
  await world.apply('packed', { dependencies: '{"dependencies":{"a":"1"}}' });
  const { reason } = await world.condition('packed', 'Ready', 'False');
  assert.equal(reason, 'RegistryDenied');
  // Time that would be long enough to be tried again does not pass.
  world.machine.artifacts.gate = Promise.resolve();
  const begun = world.machine.clock.now();
  await world.put('Secret', 'serverless-package-registry-config', { '.npmrc': base64('a=b') });
  await world.ready('packed');
  assert.ok(world.machine.clock.now() - begun < 1_000);
});
