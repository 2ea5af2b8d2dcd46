import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { at } from '../at.ts';
import type { Answer } from '../opened-server.ts';
import { type HookedServer, openHookedServer, rule } from './hooked-server.ts';

const maps = '/api/v1/namespaces/default/configmaps';

function create({ ask }: HookedServer, name: string, rest: object = {}): Promise<Answer> {
  const { metadata = {}, ...body } = { metadata: {}, ...rest };
  const head = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...metadata } };
  return ask('POST', maps, { body: { ...head, ...body } });
}

describe('a validating webhook', () => {
  it('is told of the whole request', async () => {
    await using server = await openHookedServer();
    server.hooks.set('/all', () => ({ allowed: true }));
    await server.configure('Validating', 'all');
    await create(server, 'a', { data: { k: '1' } });
    await server.ask('PATCH', `${maps}/a`, {
      body: { data: { k: '2' } },
      contentType: 'application/merge-patch+json',
      query: { fieldManager: 'me', dryRun: 'All' },
    });
    await server.ask('DELETE', `${maps}/a`, { query: { gracePeriodSeconds: '0' } });
    const [created, updated, deleted] = server.asked.map(({ request }) => request);
    const { uid, object, ...rest } = created ?? {};
    assert.match(String(uid), /^[0-9a-f-]{36}$/);
    assert.match(String(at(object, '/metadata/uid')), /^[0-9a-f-]{36}$/);
    const kind = { group: '', version: 'v1', kind: 'ConfigMap' };
    const resource = { group: '', version: 'v1', resource: 'configmaps' };
    assert.deepEqual(rest, {
      ...{ kind, resource, requestKind: kind, requestResource: resource },
      ...{ name: 'a', namespace: 'default', operation: 'CREATE' },
      userInfo: { username: 'admin', groups: ['system:masters', 'system:authenticated'] },
      ...{ oldObject: null, dryRun: false },
      options: { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1' },
    });
    assert.equal(updated?.operation, 'UPDATE');
    assert.equal(at(updated?.object, '/data/k'), '2');
    assert.equal(at(updated?.oldObject, '/data/k'), '1');
    assert.equal(updated?.dryRun, true);
    assert.deepEqual(updated?.options, {
      ...{ kind: 'UpdateOptions', apiVersion: 'meta.k8s.io/v1' },
      ...{ fieldManager: 'me', dryRun: ['All'] },
    });
    assert.equal(deleted?.operation, 'DELETE');
    assert.equal(deleted?.object, null);
    assert.equal(at(deleted?.oldObject, '/data/k'), '1');
    assert.equal(at(deleted?.options, '/gracePeriodSeconds'), 0);
    assert.equal(server.asked[0]?.timeout, '10s');
  });

  it('refuses with its words, its code and its reason, and nothing is written', async () => {
    await using server = await openHookedServer();
    const statuses = [
      { status: { code: 403, reason: 'Forbidden', message: 'too late' } },
      { status: { reason: 'Forbidden' } },
      {},
      { status: { code: 200, message: 'odd' } },
    ];
    server.hooks.set('/no', () => ({ allowed: false, ...statuses.shift() }));
    await server.configure('Validating', 'no');
    const denied = 'admission webhook "no.example.dev" denied the request';
    const expected = [
      [403, `${denied}: too late`],
      [400, `${denied}: Forbidden`],
      [400, `${denied} without explanation`],
      [400, `${denied}: odd`],
    ];
    for (const [code, message] of expected) {
      const { status, body } = await create(server, 'a');
      assert.deepEqual([status, at(body, '/message')], [code, message]);
    }
    assert.equal((await server.ask('GET', `${maps}/a`)).status, 404);
  });

  it('keeps an object from being deleted, one by one in a collection too', async () => {
    await using server = await openHookedServer();
    server.hooks.set('/keep', ({ request }) => ({ allowed: request.name !== 'b' }));
    await server.configure('Validating', 'keep', { rules: [rule({ operations: ['DELETE'] })] });
    await create(server, 'a');
    await create(server, 'b');
    assert.equal((await server.ask('DELETE', `${maps}/b`)).status, 400);
    assert.equal((await server.ask('DELETE', maps)).status, 400);
    assert.equal((await server.ask('GET', `${maps}/a`)).status, 404);
    assert.equal((await server.ask('GET', `${maps}/b`)).status, 200);
  });

  it('warns, once for each text, in words that a header can carry', async () => {
    await using server = await openHookedServer();
    const warnings = ['old\nname', 'old\nname', 'ü'.repeat(300)];
    server.hooks.set('/warn', () => ({ allowed: true, warnings }));
    await server.configure('Validating', 'warn');
    const { headers } = await create(server, 'a');
    assert.equal(headers.warning, `299 - "old name", 299 - "${'?'.repeat(256)}"`);
  });

  it('is asked at once with the others, and the first in order to refuse is heard', async () => {
    await using server = await openHookedServer();
    server.hooks.set('/b', () => ({ allowed: false, status: { message: 'b' } }));
    server.hooks.set('/a', () => ({ allowed: false, status: { message: 'a' } }));
    await server.configure('Validating', 'b');
    await server.configure('Validating', 'a');
    assert.match(String(at((await create(server, 'm')).body, '/message')), /: a$/);
    assert.equal(server.asked.length, 2);
  });

  it('is never asked about configurations of webhooks', async () => {
    await using server = await openHookedServer();
    const everything = rule({ apiGroups: ['*'], apiVersions: ['*'], resources: ['*'] });
    server.hooks.set('/all', () => ({ allowed: false }));
    await server.configure('Validating', 'all', { rules: [everything] });
    const path = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/all';
    assert.equal((await create(server, 'a')).status, 400);
    assert.equal((await server.ask('DELETE', path)).status, 200);
    assert.equal((await create(server, 'a')).status, 201);
  });

  it('is asked about the Scale of a workload as such', async () => {
    await using server = await openHookedServer();
    const deployments = '/apis/apps/v1/namespaces/default/deployments';
    const labels = { app: 'w' };
    const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } };
    const body = {
      ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'w' } },
      spec: { replicas: 1, selector: { matchLabels: labels }, template },
    };
    await server.ask('POST', deployments, { body });
    const resources = ['deployments/scale'];
    server.hooks.set('/scale', ({ request }) => {
      return { allowed: at(request.object, '/spec/replicas') !== 9 };
    });
    await server.configure('Validating', 'scale', {
      rules: [rule({ apiGroups: ['apps'], resources })],
    });
    const scale = (replicas: number): Promise<Answer> =>
      server.ask('PATCH', `${deployments}/w/scale`, {
        body: { spec: { replicas } },
        contentType: 'application/merge-patch+json',
      });
    assert.equal((await scale(2)).status, 200);
    assert.equal((await scale(9)).status, 400);
    const request = server.asked[0]?.request;
    assert.equal(at(request, '/kind/kind'), 'Scale');
    assert.equal(at(request, '/resource/resource'), 'deployments');
    assert.equal(at(request, '/subResource'), 'scale');
  });

  it('that changes the object each time it is asked keeps a deletion from trying for ever', async () => {
    await using server = await openHookedServer();
    await create(server, 'a');
    let changes = 0;
    server.hooks.set('/busy', async () => {
      const data = { changes: String(++changes) };
      await server.ask('PATCH', `${maps}/a`, {
        body: { data },
        contentType: 'application/merge-patch+json',
      });
      return { allowed: true };
    });
    await server.configure('Validating', 'busy', { rules: [rule({ operations: ['DELETE'] })] });
    const { status, body: refusal } = await server.ask('DELETE', `${maps}/a`);
    assert.equal(status, 409);
    assert.match(String(at(refusal, '/message')), /the object has been modified/);
    assert.equal(changes, 100);
  });
});
