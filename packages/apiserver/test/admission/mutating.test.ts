import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { at, listAt } from '../at.ts';
import { openHookedServer, patching, rule } from './hooked-server.ts';

const maps = '/api/v1/namespaces/default/configmaps';
const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { k: '0' } };
const add = (key: string, value: unknown): object => ({ op: 'add', path: `/data/${key}`, value });

describe('a mutating webhook', () => {
  it('changes what is written, on behalf of nobody', async () => {
    await using server = await openHookedServer();
    server.hooks.set('/mutate', () => patching(add('added', 'x')));
    await server.configure('Mutating', 'mutate');
    const created = await server.ask('POST', maps, { body, query: { fieldManager: 'me' } });
    assert.deepEqual(at(created.body, '/data'), { k: '0', added: 'x' });
    const replaced = await server.ask('PUT', `${maps}/a`, {
      body: { ...body, data: { own: '1' } },
      query: { fieldManager: 'me' },
    });
    assert.deepEqual(at(replaced.body, '/data'), { own: '1', added: 'x' });
    const [entry] = listAt(replaced.body, '/metadata/managedFields');
    assert.deepEqual(at(entry, '/fieldsV1/f:data'), { '.': {}, 'f:own': {} });
    const { object } = server.asked[0]?.request ?? {};
    assert.equal(at(object, '/metadata/uid'), undefined);
    assert.equal((await server.ask('GET', `${maps}/a`)).status, 200);
  });

  it('sees a new object before its name is generated, and may not give it another identity', async () => {
    await using server = await openHookedServer();
    const stolen = { op: 'add', path: '/metadata/uid', value: 'stolen' };
    server.hooks.set('/mutate', () => patching(stolen, add('b', '1')));
    await server.configure('Mutating', 'mutate');
    const metadata = { generateName: 'gen-' };
    const created = await server.ask('POST', maps, { body: { ...body, metadata } });
    assert.match(String(at(created.body, '/metadata/name')), /^gen-/);
    assert.match(String(at(created.body, '/metadata/uid')), /^[0-9a-f-]{36}$/);
    assert.equal(server.asked[0]?.request.name, undefined);
  });

  it('may name a new object otherwise, as Kubernetes lets it, but not one that is there', async () => {
    await using server = await openHookedServer();
    const named = { op: 'add', path: '/metadata/name', value: 'other' };
    server.hooks.set('/mutate', () => patching(named));
    await server.configure('Mutating', 'mutate');
    const metadata = { generateName: 'gen-' };
    const created = await server.ask('POST', maps, { body: { ...body, metadata } });
    assert.equal(at(created.body, '/metadata/name'), 'other');
    assert.equal((await server.ask('GET', `${maps}/other`)).status, 200);
    const again = await server.ask('POST', maps, { body });
    assert.equal(at(again.body, '/message'), 'configmaps "other" already exists');
  });

  it('is asked in the order of names, each about what those before it made', async () => {
    await using server = await openHookedServer();
    server.hooks.set('/b', ({ request }) => patching(add('b', at(request.object, '/data/a'))));
    server.hooks.set('/a', () => patching(add('a', '1')));
    await server.configure('Mutating', 'b');
    await server.configure('Mutating', 'a');
    const { body: made } = await server.ask('POST', maps, { body });
    assert.deepEqual(at(made, '/data'), { k: '0', a: '1', b: '1' });
  });

  it('is asked once more where it wants to see what came after it, and no more than once', async () => {
    await using server = await openHookedServer();
    let turn = 0;
    server.hooks.set('/a', () => patching(add('a', String(++turn))));
    server.hooks.set('/b', () => patching(add('b', String(++turn))));
    server.hooks.set('/c', () => ({ allowed: true }));
    await server.configure('Mutating', 'a', { reinvocationPolicy: 'IfNeeded' });
    await server.configure('Mutating', 'b');
    await server.configure('Mutating', 'c', { reinvocationPolicy: 'IfNeeded' });
    const { body: made } = await server.ask('POST', maps, { body });
    assert.deepEqual(at(made, '/data'), { k: '0', a: '3', b: '2' });
    const order = server.asked.map(({ path }) => path);
    // The last one too: the first one has changed the object after it.
    assert.deepEqual(order, ['/a', '/b', '/c', '/a', '/c']);
  });

  it('makes nothing that the kind does not allow', async () => {
    await using server = await openHookedServer();
    server.hooks.set('/mutate', () => patching(add('bad key', '1')));
    await server.configure('Mutating', 'mutate');
    assert.equal((await server.ask('POST', maps, { body })).status, 422);
    server.hooks.set('/mutate', () => patching({ op: 'remove', path: '/none' }));
    assert.equal((await server.ask('POST', maps, { body })).status, 500);
    server.hooks.set('/mutate', () => ({ allowed: true, patchType: 'JSONPatch' }));
    const { body: odd } = await server.ask('POST', maps, { body });
    assert.match(String(at(odd, '/message')), /response.patchType but not response.patch$/);
  });

  it('cannot change what is being deleted', async () => {
    await using server = await openHookedServer();
    await server.ask('POST', maps, { body });
    server.hooks.set('/mutate', () => patching(add('a', '1')));
    await server.configure('Mutating', 'mutate', { rules: [rule({ operations: ['DELETE'] })] });
    const { status, body: refusal } = await server.ask('DELETE', `${maps}/a`);
    assert.equal(status, 500);
    assert.match(String(at(refusal, '/message')), /attempted to modify the object, which is not/);
  });

  it('sees a kind in the version of its rules, and changes it there', async () => {
    await using server = await openHookedServer();
    const path = '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers';
    const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
    const autoscaler = {
      ...{ apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler' },
      ...{ metadata: { name: 'h' }, spec: { scaleTargetRef, maxReplicas: 3 } },
    };
    const value = 77;
    const cpu = { op: 'add', path: '/spec/targetCPUUtilizationPercentage', value };
    server.hooks.set('/v1', () => patching(cpu));
    const rules = [rule({ apiGroups: ['autoscaling'], resources: ['horizontalpodautoscalers'] })];
    await server.configure('Mutating', 'v1', { rules });
    await server.configure('Mutating', 'exact', { rules, matchPolicy: 'Exact' });
    const { body: made } = await server.ask('POST', path, { body: autoscaler });
    assert.equal(at(made, '/spec/metrics/0/resource/target/averageUtilization'), value);
    const request = server.asked[0]?.request;
    assert.equal(server.asked.length, 1);
    assert.equal(at(request, '/kind/version'), 'v1');
    assert.equal(at(request, '/requestKind/version'), 'v2');
    assert.equal(at(request, '/object/apiVersion'), 'autoscaling/v1');
  });
});
