import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { systemClock, systemRandom, VirtualClock } from '@fnlet/base';
import fc from 'fast-check';
import { at } from '../at.ts';
import { openServer } from '../opened-server.ts';
import {
  openQuotaWorld,
  pod,
  type QuotaWorld,
  refusal,
  secret,
  service,
  until,
} from './quota-world.ts';

const inDefault = '/api/v1/namespaces/default';

describe('the count of a quota', () => {
  it('begins with what is there', async () => {
    await using world = await openQuotaWorld();
    await world.create('secrets', secret('a'));
    await world.create('pods', pod('p', {}, { requests: { cpu: '100m' } }));
    await world.create('services', service('s', { ports: [{ port: 80 }], type: 'NodePort' }));
    const hard = {
      ...{ 'count/configmaps': '9', 'count/pods': '9', 'count/serviceaccounts': '9' },
      ...{ persistentvolumeclaims: '9', pods: '9', 'requests.cpu': '9', 'requests.storage': '9' },
      ...{ secrets: '9', 'services.nodeports': '9', 'count/toys.x.com': '9', 'count/nodes': '9' },
    };
    await world.bound('q', { hard });
    assert.deepEqual(await world.used('q'), {
      ...{ 'count/configmaps': '1', 'count/pods': '1', 'count/serviceaccounts': '1' },
      ...{ 'count/toys.x.com': '0', persistentvolumeclaims: '0', pods: '1' },
      ...{ 'requests.cpu': '100m', 'requests.storage': '0', secrets: '1' },
      'services.nodeports': '1',
    });
  });

  it('goes down with what goes', async () => {
    await using world = await openQuotaWorld();
    await world.bound('q', { hard: { secrets: '2' } });
    await world.create('secrets', secret('a'));
    await world.create('secrets', secret('b'));
    await world.remove('secrets/a');
    await world.untilUsed('q', { secrets: '1' });
    assert.equal((await world.create('secrets', secret('c'))).status, 201);
    await world.ask('DELETE', `${inDefault}/secrets`);
    await world.untilUsed('q', { secrets: '0' });
  });

  it('goes down with Pods that end, which are still objects', async () => {
    await using world = await openQuotaWorld();
    await world.bound('q', { hard: { pods: '1', 'count/pods': '2', 'limits.cpu': '1' } });
    await world.create('pods', pod('p', {}, { limits: { cpu: '1' } }));
    await world.patch('pods/p/status', { status: { phase: 'Running' } });
    assert.deepEqual(await world.used('q'), { 'count/pods': '1', 'limits.cpu': '1', pods: '1' });
    await world.patch('pods/p/status', { status: { phase: 'Succeeded' } });
    await world.untilUsed('q', { 'count/pods': '1', 'limits.cpu': '0', pods: '0' });
    const another = pod('o', {}, { limits: { cpu: '1' } });
    assert.equal((await world.create('pods', another)).status, 201);
    await world.remove('pods/p');
    await world.untilUsed('q', { 'count/pods': '1', 'limits.cpu': '1', pods: '1' });
  });

  it('goes down with Pods that should be gone and are not, when their time is over', async () => {
    const clock = new VirtualClock();
    await using world = await openQuotaWorld({ clock });
    await world.bound('q', { hard: { pods: '1' } });
    await world.create('pods', pod('p', { nodeName: 'away' }));
    await world.patch('pods/p/status', { status: { phase: 'Running' } });
    await world.ask('DELETE', `${inDefault}/pods/p`, { query: { gracePeriodSeconds: '10' } });
    // The first 10 s are those that it has, the others those that it is waited for.
    await clock.advance(19_000);
    assert.deepEqual(await world.used('q'), { pods: '1' });
    await clock.advance(5_000);
    await world.untilUsed('q', { pods: '0' });
  });

  it('follows what the quota wants', async () => {
    await using world = await openQuotaWorld();
    await world.bound('q', { hard: { secrets: '1' } });
    await world.create('secrets', secret('a'));
    await world.patch('resourcequotas/q', { spec: { hard: { secrets: null, pods: '1' } } });
    await world.untilUsed('q', { pods: '0' });
    const { body } = await world.ask('GET', `${inDefault}/resourcequotas/q`);
    assert.deepEqual(at(body, '/status'), { hard: { pods: '1' }, used: { pods: '0' } });
    assert.equal((await world.create('secrets', secret('b'))).status, 201);
  });

  it('is that of Pods in its scopes', async () => {
    await using world = await openQuotaWorld();
    const scheduling = '/apis/scheduling.k8s.io/v1/priorityclasses';
    const head = { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', value: 5 };
    await world.ask('POST', scheduling, { body: { ...head, metadata: { name: 'high' } } });
    const matchExpressions = [{ scopeName: 'PriorityClass', operator: 'In', values: ['high'] }];
    await world.bound('high', { hard: { pods: '1' }, scopeSelector: { matchExpressions } });
    await world.bound('best', { hard: { pods: '1' }, scopes: ['BestEffort'] });
    await world.create('pods', pod('a', { priorityClassName: 'high' }));
    assert.deepEqual(await world.used('high'), { pods: '1' });
    assert.deepEqual(await world.used('best'), { pods: '1' });
    const needy = pod('b', {}, { requests: { cpu: '1' } });
    assert.equal((await world.create('pods', needy)).status, 201);
    assert.match(refusal(await world.create('pods', pod('c'))), /exceeded quota: best/);
    await world.remove('pods/a');
    await world.untilUsed('high', { pods: '0' });
  });

  it('is that of custom resources, whenever they are defined', async () => {
    await using world = await openQuotaWorld();
    await world.bound('q', { hard: { 'count/toys.x.com': '1' } });
    const names = { plural: 'toys', kind: 'Toy' };
    const schema = { openAPIV3Schema: { type: 'object' } };
    const versions = [{ name: 'v1', served: true, storage: true, schema }];
    const body = {
      ...{ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' },
      metadata: { name: 'toys.x.com' },
      spec: { group: 'x.com', scope: 'Namespaced', names, versions },
    };
    await world.ask('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', { body });
    const toys = '/apis/x.com/v1/namespaces/default/toys';
    await until(async () => (await world.ask('GET', toys)).status === 200, 'the definition');
    const toy = (name: string) => ({ apiVersion: 'x.com/v1', kind: 'Toy', metadata: { name } });
    assert.equal((await world.create(toys, toy('a'))).status, 201);
    assert.deepEqual(await world.used('q'), { 'count/toys.x.com': '1' });
    assert.equal(
      refusal(await world.create(toys, toy('b'))),
      'toys.x.com "b" is forbidden: exceeded quota: q, requested: count/toys.x.com=1, used: count/toys.x.com=1, limited: count/toys.x.com=1',
    );
    await world.remove(`${toys}/a`);
    await world.untilUsed('q', { 'count/toys.x.com': '0' });
  });

  it('ends with the quota', async () => {
    await using world = await openQuotaWorld();
    await world.bound('q', { hard: { secrets: '0' } });
    assert.equal((await world.create('secrets', secret('a'))).status, 403);
    await world.remove('resourcequotas/q');
    assert.equal((await world.create('secrets', secret('a'))).status, 201);
    await world.bound('q', { hard: { secrets: '5' } });
    assert.deepEqual(await world.used('q'), { secrets: '1' });
  });

  it('is written only where it says something else', async () => {
    await using world = await openQuotaWorld();
    await world.bound('q', { hard: { secrets: '5', pods: '5' } });
    await world.create('pods', pod('p'));
    const revisionOf = () => world.store.revisionOf('objects/core/resourcequotas/default/q');
    const before = revisionOf();
    for (const phase of ['Pending', 'Running', 'Running']) {
      await world.patch('pods/p/status', { status: { phase, reason: phase } });
    }
    await world.patch('pods/p', { metadata: { labels: { a: 'b' } } });
    await world.create('configmaps', {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'm' },
    });
    // What follows a change is done by the time that another has been followed.
    await world.bound('other', { hard: { configmaps: '9' } });
    assert.equal(revisionOf(), before);
  });

  it('is put right when somebody writes another', async () => {
    await using world = await openQuotaWorld();
    await world.bound('q', { hard: { secrets: '5' } });
    const status = { hard: { secrets: '9', pods: '1' }, used: { secrets: '3', pods: '1' } };
    const written = await world.patch('resourcequotas/q/status', { status });
    assert.deepEqual(at(written.body, '/status'), status);
    await world.untilUsed('q', { secrets: '0' });
    const { body } = await world.ask('GET', `${inDefault}/resourcequotas/q`);
    assert.deepEqual(at(body, '/status/hard'), { secrets: '5' });
  });

  it('is right after a restart, whatever happened meanwhile', async () => {
    await using first = await openQuotaWorld();
    await first.bound('q', { hard: { secrets: '5' } });
    await first.create('secrets', secret('a'));
    const key = 'objects/core/resourcequotas/default/q';
    const kept = first.store.get(key);
    const status = { hard: { secrets: '5' }, used: { secrets: '4' } };
    await first.store.write([{ key, value: { ...kept?.value, status }, expected: undefined }]);
    const parts = { clock: systemClock, random: systemRandom, store: first.store };
    await using second = await openServer(parts);
    const isRight = async (): Promise<boolean> => {
      const { body } = await second.ask('GET', `${inDefault}/resourcequotas/q`);
      return at(body, '/status/used/secrets') === '1';
    };
    await until(isRight, 'the count');
  });
});

interface Step {
  readonly what: 'secret' | 'pod' | 'quota';
  readonly verb: 'make' | 'end' | 'delete';
  readonly name: string;
}

const step: fc.Arbitrary<Step> = fc.record({
  what: fc.constantFrom('secret', 'secret', 'pod', 'pod', 'quota'),
  verb: fc.constantFrom('make', 'make', 'end', 'delete'),
  name: fc.constantFrom('a', 'b', 'c', 'd'),
});

async function take(world: QuotaWorld, { what, verb, name }: Step): Promise<void> {
  const path = { secret: 'secrets', pod: 'pods', quota: 'resourcequotas' }[what];
  if (verb === 'delete') await world.remove(`${path}/${name}`);
  else if (verb === 'end')
    await world.patch(`pods/${name}/status`, { status: { phase: 'Failed' } });
  else if (what === 'secret') await world.create(path, secret(name));
  else if (what === 'pod') await world.create(path, pod(name));
  else {
    const spec = { hard: { secrets: '2', pods: '2', 'count/pods': '3' } };
    await world.create(path, { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name }, spec });
  }
}

it('quotas say in the end what a look at everything finds, whatever was done at once', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(step, { maxLength: 6 }), { maxLength: 8 }), async (all) => {
      await using world = await openQuotaWorld();
      await world.bound('always', { hard: { secrets: '2', pods: '2', 'count/pods': '3' } });
      for (const together of all) await Promise.all(together.map((one) => take(world, one)));
      const list = (plural: string) => world.store.list(`objects/core/${plural}/default/`).objects;
      const pods = list('pods');
      const alive = pods.filter(({ value }) => at(value, '/status/phase') !== 'Failed').length;
      const secrets = list('secrets').length;
      assert(secrets <= 2 && alive <= 2 && pods.length <= 3, 'nothing is above its bound');
      const expected = { 'count/pods': `${pods.length}`, pods: `${alive}`, secrets: `${secrets}` };
      for (const { key } of list('resourcequotas')) {
        await world.untilUsed(key.split('/').at(-1) ?? '', expected);
      }
    }),
    { numRuns: 25 },
  );
});
