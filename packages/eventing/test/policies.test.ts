import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import type { PolicyRequest } from '@fnlet/gateway';
import { namespace, World } from './world.ts';

/** A request with these header lines. */
function request(lines: readonly string[]): PolicyRequest {
  return {
    head: {
      method: 'GET',
      target: '/',
      version: '1.1',
      host: 'x',
      fields: { kept: lines.map((line) => `${line}\r\n`).join(''), known: new Map() },
      framing: { chunked: false, contentLength: -1 },
      keepAlive: true,
      upgrade: undefined,
      expectsContinue: false,
    },
    clientAddress: '192.0.2.1',
    signal: new AbortController().signal,
  };
}

/** What the route of a Trigger makes of a request, in a word. */
async function ask(world: World, name: string, lines: readonly string[] = []): Promise<string> {
  const policy = world.routes.get(`${namespace}/${name}`)?.policy;
  if (policy === undefined) return 'open';
  const verdict = await policy.admit(request(lines));
  if (verdict.kind === 'refusal') return verdict.answer.code;
  return (verdict.forward?.add ?? []).map(([, value]) => value).join(' ');
}

const hash = (key: string): string => `sha256:${createHash('sha256').update(key).digest('hex')}`;
const key = (value: string): readonly string[] => [`X-Api-Key: ${value}`];
const apiKeys = { auth: { anyOf: [{ apiKey: { secret: 'keys' } }] } };

test('a Trigger lets nobody through until the Secret is there that says whom', async () => {
  await using world = await World.start();
  await world.createFunction('hello');
  await world.apply('shop', apiKeys);
  assert.equal(await ask(world, 'shop', key('one')), 'PolicyIncomplete');
  const waiting = await world.ready('shop');
  assert.equal(waiting?.reason, 'PolicyIncomplete');
  assert.match(waiting?.message ?? '', /^Secret "keys" does not exist: create it/);

  await world.setSecret('keys', { ann: hash('one') });
  assert.equal(await ask(world, 'shop', key('one')), 'apiKey ann');
  assert.equal(await ask(world, 'shop'), 'Unauthenticated');
  assert.equal((await world.ready('shop'))?.reason, 'Ready');
});

test('a changed Secret takes effect at once, and its end closes the route', async () => {
  await using world = await World.start();
  await world.createFunction('hello');
  await world.setSecret('keys', { ann: `${hash('one')}\n${hash('two')}\n` });
  await world.apply('shop', apiKeys);
  assert.equal(await ask(world, 'shop', key('two')), 'apiKey ann');
  await world.setSecret('keys', { ann: hash('two'), bob: hash('three') });
  assert.equal(await ask(world, 'shop', key('one')), 'Unauthenticated');
  assert.equal(await ask(world, 'shop', key('two')), 'apiKey ann');
  assert.equal(await ask(world, 'shop', key('three')), 'apiKey bob');
  await world.deleteSecret('keys');
  assert.equal(await ask(world, 'shop', key('two')), 'PolicyIncomplete');
  assert.equal((await world.ready('shop'))?.status, 'False');
});

test('a Secret of another namespace, or of another name, lets nobody in', async () => {
  await using world = await World.start();
  await world.setSecret('keys', { ann: hash('one') }, 'kube-system');
  await world.setSecret('other', { ann: hash('one') });
  await world.apply('shop', apiKeys);
  assert.equal(await ask(world, 'shop', key('one')), 'PolicyIncomplete');
});

test('what of a Secret is of no use is told, and the rest is used', async () => {
  await using world = await World.start();
  await world.createFunction('hello');
  await world.setSecret('keys', { ann: hash('one'), bob: 'plain-key' });
  await world.setSecret('users', { auth: 'eve:$2y$05$x\nann:{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ=\n' });
  const basic = { basic: { secret: 'users', realm: 'shop' } };
  await world.apply('shop', { auth: { anyOf: [...apiKeys.auth.anyOf, basic] } });
  const ready = await world.ready('shop');
  assert.equal(ready?.status, 'True');
  assert.match(ready?.message ?? '', /"bob" in Secret "keys" holds no sha256:/);
  assert.match(ready?.message ?? '', /"eve" in Secret "users" cannot log in/);
  assert.doesNotMatch(ready?.message ?? '', /plain-key|\$2y/);
  assert.equal(await ask(world, 'shop', key('plain-key')), 'Unauthenticated');
  const ann = `Authorization: Basic ${btoa('ann:secret')}`;
  assert.equal(await ask(world, 'shop', [ann]), 'basic ann');
});

test('demands come and go with the Trigger, and routes of others stay as they are', async () => {
  await using world = await World.start();
  await world.setSecret('keys', { ann: hash('one') });
  await world.apply('open', { paths: [{ prefix: '/open' }] });
  await world.apply('shop', { addresses: { deny: ['192.0.2.0/24'] } });
  assert.equal(await ask(world, 'shop'), 'AddressNotAllowed');
  assert.equal(await ask(world, 'open'), 'open');
  world.told.length = 0;
  await world.apply('shop', { ...apiKeys, addresses: { deny: ['192.0.3.0/24'] } });
  assert.equal(await ask(world, 'shop'), 'Unauthenticated');
  await world.apply('shop', { paths: [{ prefix: '/' }] });
  assert.equal(await ask(world, 'shop'), 'open');
  assert.deepEqual([...new Set(world.told)], ['set default/shop']);
});

test('what limits counted outlives a change of the Secret', async () => {
  await using world = await World.start();
  await world.setSecret('keys', { ann: hash('one') });
  const rates = [{ name: 'few', requests: 1, period: '1h', per: 'consumer' }];
  await world.apply('shop', { ...apiKeys, limits: { rates, body: '1Ki', header: 4096 } });
  assert.equal(await ask(world, 'shop', key('one')), 'apiKey ann');
  await world.setSecret('keys', { ann: `${hash('one')} ${hash('two')}` });
  assert.equal(await ask(world, 'shop', key('two')), 'TooManyRequests');
  assert.equal(await ask(world, 'shop', [`X-Long: ${'x'.repeat(5000)}`]), 'HeaderTooLarge');
});

test('after a restart routes stand with their policies before anybody can call', async () => {
  await using world = await World.start();
  await world.setSecret('keys', { ann: hash('one') });
  await world.apply('shop', apiKeys);
  await world.apply('waiting', {
    paths: [{ prefix: '/w' }],
    auth: { anyOf: [{ apiKey: { secret: 'none' } }] },
  });
  await world.restart();
  await world.listen();
  assert.deepEqual(world.told.slice(0, 2), ['all 2', 'listen']);
  assert.equal(await ask(world, 'shop'), 'Unauthenticated');
  assert.equal(await ask(world, 'shop', key('one')), 'apiKey ann');
  assert.equal(await ask(world, 'waiting', key('one')), 'PolicyIncomplete');
});
