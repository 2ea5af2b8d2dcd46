import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { User } from '../src/index.ts';
import { at, listAt, objectAt, textAt } from './at.ts';
import { type Answer, openServer } from './opened-server.ts';

const maps = '/api/v1/namespaces/default/configmaps';

function configMap(name: string, data: object = {}, metadata: object = {}): object {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...metadata }, data };
}

function names(answer: Answer): string[] {
  return listAt(answer.body, '/items').map((item) => textAt(item, '/metadata/name'));
}

describe('objects', () => {
  it('are changed by concurrent patches without losing one', async () => {
    await using server = await openServer();
    await server.ask('POST', maps, { body: configMap('a') });
    const patches = Array.from({ length: 4 }, (_, n) =>
      server.ask('PATCH', `${maps}/a`, {
        contentType: 'application/merge-patch+json',
        body: { data: { [`k${n}`]: 'v' } },
      }),
    );
    const answers = await Promise.all(patches);
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 200, 200],
    );
    const { body } = await server.ask('GET', `${maps}/a`);
    assert.equal(Object.keys(objectAt(body, '/data')).length, 4);
  });

  it('keep their resourceVersion when nothing changes', async () => {
    await using server = await openServer();
    const { body } = await server.ask('POST', maps, { body: configMap('a', { k: 'v' }) });
    const again = await server.ask('PUT', `${maps}/a`, { body });
    assert.equal(
      at(again.body, '/metadata/resourceVersion'),
      at(body, '/metadata/resourceVersion'),
    );
  });

  it('are created once by concurrent creates', async () => {
    await using server = await openServer();
    const creates = Array.from({ length: 5 }, () =>
      server.ask('POST', maps, { body: configMap('a') }),
    );
    const statuses = (await Promise.all(creates)).map(({ status }) => status).sort();
    assert.deepEqual(statuses, [201, 409, 409, 409, 409]);
  });

  it('are made once by concurrent applies, and lose no field of any', async () => {
    await using server = await openServer();
    const applies = Array.from({ length: 20 }, (_, n) =>
      server.ask('PATCH', `${maps}/a`, {
        contentType: 'application/apply-patch+yaml',
        query: { fieldManager: `m${n}` },
        body: JSON.stringify(configMap('a', { [`k${n}`]: 'v' })),
      }),
    );
    const statuses = (await Promise.all(applies)).map(({ status }) => status).sort();
    assert.deepEqual(statuses, [...Array.from({ length: 19 }, () => 200), 201]);
    const { body } = await server.ask('GET', `${maps}/a`);
    assert.equal(Object.keys(objectAt(body, '/data')).length, 20);
    assert.equal(listAt(body, '/metadata/managedFields').length, 20);
  });

  it('are made by a PUT where the kind allows it, by whoever may create', async () => {
    await using server = await openServer();
    const leases = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
    const apiVersion = 'coordination.k8s.io/v1';
    const lease = (name: string, metadata = {}): object => ({
      apiVersion,
      kind: 'Lease',
      metadata: { name, ...metadata },
    });
    const put = async (name: string, body: object, user?: User): Promise<number> =>
      (await server.ask('PUT', `${leases}/${name}`, { body, ...(user ? { user } : {}) })).status;
    assert.equal(await put('a', lease('a')), 201);
    assert.equal(await put('a', lease('a')), 422, 'a lease is not overwritten blindly');
    assert.equal(await put('b', lease('b', { resourceVersion: '3' })), 404);
    assert.equal(await put('b', lease('c')), 400, 'its name is not that of the URL');
    assert.equal((await server.ask('PUT', `${maps}/b`, { body: configMap('b') })).status, 404);
    const rbac = '/apis/rbac.authorization.k8s.io/v1/namespaces/default';
    const rules = [{ apiGroups: [apiVersion.split('/')[0]], resources: ['leases'] }];
    const group = 'rbac.authorization.k8s.io';
    const role = {
      apiVersion: `${group}/v1`,
      kind: 'Role',
      metadata: { name: 'r' },
      rules: rules.map((rule) => ({ ...rule, verbs: ['update'] })),
    };
    const subjects = [{ kind: 'User', name: 'ada', apiGroup: group }];
    const roleRef = { kind: 'Role', name: 'r', apiGroup: group };
    const binding = {
      apiVersion: `${group}/v1`,
      kind: 'RoleBinding',
      metadata: { name: 'r' },
      subjects,
      roleRef,
    };
    assert.equal((await server.ask('PUT', `${rbac}/roles/r`, { body: role })).status, 201);
    assert.equal(
      (await server.ask('PUT', `${rbac}/rolebindings/r`, { body: binding })).status,
      201,
    );
    assert.equal(await put('d', lease('d'), { name: 'ada', groups: [] }), 403);
  });

  it('are not written by a dry run', async () => {
    await using server = await openServer();
    const query = { dryRun: 'All' };
    const dry = await server.ask('POST', maps, { query, body: configMap('a') });
    assert.equal(dry.status, 201);
    assert.equal(at(dry.body, '/metadata/resourceVersion'), undefined);
    assert.equal((await server.ask('GET', `${maps}/a`)).status, 404);
  });

  it('are not repeated whole in a message about a patch', async () => {
    await using server = await openServer();
    await server.ask('POST', maps, { body: configMap('a', { k: 'v'.repeat(100_000) }) });
    const answer = await server.ask('PATCH', `${maps}/a`, {
      contentType: 'application/merge-patch+json',
      body: { data: { n: 1 } },
    });
    assert.equal(answer.status, 422);
    assert.ok(textAt(answer.body, '/message').length < 4000);
    assert.match(
      textAt(answer.body, '/message'),
      /\.\.\.": .*cannot unmarshal number .* of type string$/,
    );
  });

  it('get a name from generateName', async () => {
    await using server = await openServer();
    const body = configMap('', {}, { generateName: 'x-' });
    const { body: created } = await server.ask('POST', maps, { body });
    assert.match(textAt(created, '/metadata/name'), /^x-[a-z0-9]{5}$/);
  });

  it('stay as the caller in this process left them', async () => {
    await using server = await openServer();
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { k: 'v' } };
    const transport = server.server.transport();
    await transport.request({ method: 'POST', path: maps, body });
    body.data.k = 'changed';
    const response = await transport.request({ method: 'GET', path: `${maps}/a` });
    assert.match(JSON.stringify(await response.json()), /"k":"v"/);
  });

  it('are refused in a namespace that is not there', async () => {
    await using server = await openServer();
    const path = '/api/v1/namespaces/nope/configmaps';
    const { status, body } = await server.ask('POST', path, { body: configMap('a') });
    assert.equal(status, 404);
    assert.equal(at(body, '/message'), 'namespaces "nope" not found');
  });
});

describe('lists', () => {
  it('show the state of their first page on every page', async () => {
    await using server = await openServer();
    for (const name of ['a', 'b', 'c']) await server.ask('POST', maps, { body: configMap(name) });
    const first = await server.ask('GET', maps, { query: { limit: '2' } });
    assert.deepEqual(names(first), ['a', 'b']);
    assert.equal(at(first.body, '/metadata/remainingItemCount'), 2);
    await server.ask('DELETE', `${maps}/c`);
    await server.ask('POST', maps, { body: configMap('d') });
    const token = textAt(first.body, '/metadata/continue');
    const second = await server.ask('GET', maps, { query: { limit: '5', continue: token } });
    assert.deepEqual(names(second), ['c', 'kube-root-ca.crt']);
    assert.equal(
      at(second.body, '/metadata/resourceVersion'),
      at(first.body, '/metadata/resourceVersion'),
    );
    assert.equal(at(second.body, '/metadata/continue'), undefined);
  });

  it('page through what a selector leaves', async () => {
    await using server = await openServer();
    for (let n = 0; n < 6; n++) {
      const labels = n % 2 === 0 ? { even: '1' } : {};
      await server.ask('POST', maps, { body: configMap(`m${n}`, {}, { labels }) });
    }
    const query = { labelSelector: 'even', limit: '2' };
    const first = await server.ask('GET', maps, { query });
    assert.deepEqual(names(first), ['m0', 'm2']);
    const token = textAt(first.body, '/metadata/continue');
    const second = await server.ask('GET', maps, { query: { ...query, continue: token } });
    assert.deepEqual(names(second), ['m4']);
  });

  it('tell a resourceVersion of the future', async () => {
    await using server = await openServer();
    const { status, headers } = await server.ask('GET', maps, {
      query: { resourceVersion: '99999999' },
    });
    assert.equal(status, 504);
    assert.equal(headers['retry-after'], '1');
  });
});

describe('bad input', () => {
  it('is answered with a Status, each in its way', async () => {
    await using server = await openServer();
    const deep = `${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`;
    const cases: readonly [string, string, object, number][] = [
      ['POST', maps, { body: '{' }, 400],
      ['POST', maps, { body: '[]' }, 400],
      ['POST', maps, { body: deep }, 400],
      ['POST', maps, { body: 'x', contentType: 'application/vnd.kubernetes.protobuf' }, 400],
      ['POST', maps, { body: 'x', contentType: 'text/plain' }, 415],
      ['POST', maps, { body: 'a: &x [*x]', contentType: 'application/yaml' }, 400],
      ['POST', maps, { body: configMap('../../etc') }, 422],
      ['GET', `${maps}/..%2F..`, {}, 404],
      ['GET', `${maps}/%zz`, {}, 400],
      ['GET', maps, { query: { labelSelector: '((' } }, 400],
      ['GET', maps, { query: { continue: 'x' } }, 400],
      ['PUT', maps, {}, 405],
      ['GET', '/api/v1/namespaces/default/pods/p/exec', {}, 404],
      ['POST', maps, { body: configMap('a', { big: 'x'.repeat(3 * 1024 * 1024) }) }, 413],
    ];
    for (const [method, path, options, expected] of cases) {
      const { status, body } = await server.ask(method, path, options);
      assert.equal(status, expected, `${method} ${path}: ${JSON.stringify(body)}`);
      assert.equal(at(body, '/kind'), 'Status');
    }
  });

  it('10 001 patch operations are too many', async () => {
    await using server = await openServer();
    await server.ask('POST', maps, { body: configMap('a') });
    const body = Array(10_001).fill({ op: 'test', path: '/kind', value: 'ConfigMap' });
    const contentType = 'application/json-patch+json';
    const { status } = await server.ask('PATCH', `${maps}/a`, { contentType, body });
    assert.equal(status, 413);
  });
});
