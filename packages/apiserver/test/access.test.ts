import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openMemoryStore } from '@fnlet/store';
import {
  created,
  grant,
  jane,
  named,
  podReader,
  pods,
  type Rule,
  rbac,
  refused,
} from './granted-access.ts';
import { type Answer, openServer } from './opened-server.ts';

describe('authorization', () => {
  it('refuses what no role allows, and allows it with the next request once one does', async () => {
    await using server = await openServer();
    const list = (): Promise<Answer> => server.ask('GET', pods, { user: jane });
    const text =
      'pods is forbidden: User "jane" cannot list resource "pods" in API group "" in the ' +
      'namespace "default"';
    await refused(list(), text);
    await grant(server, { user: 'jane', namespace: 'default' }, [podReader]);
    assert.equal((await list()).status, 200);
    await refused(server.ask('GET', '/api/v1/pods', { user: jane }), /at the cluster scope$/);
    await refused(server.ask('GET', `${pods}/a/log`, { user: jane }), /resource "pods\/log"/);
    await refused(server.ask('DELETE', pods, { user: jane }), /cannot deletecollection resource/);
    const binding = `${rbac}/namespaces/default/rolebindings/for-jane`;
    assert.equal((await server.ask('DELETE', binding)).status, 200);
    await refused(list(), text);
  });

  it('tells of a binding to a role that is not there', async () => {
    await using server = await openServer();
    const roleRef = { kind: 'ClusterRole', name: 'nope' };
    const body = named('b', { roleRef, subjects: [{ kind: 'User', name: 'jane' }] });
    await created(server.ask('POST', `${rbac}/clusterrolebindings`, { body }));
    const reason = /: RBAC: clusterrole\.rbac\.authorization\.k8s\.io "nope" not found$/;
    await refused(server.ask('GET', pods, { user: jane }), reason);
  });

  it('limits a list by name to that name', async () => {
    await using server = await openServer();
    await grant(server, { user: 'jane', namespace: 'default' }, [
      { ...podReader, resourceNames: ['a'] },
    ]);
    const list = (name: string): Promise<Answer> =>
      server.ask('GET', pods, { user: jane, query: { fieldSelector: `metadata.name=${name}` } });
    assert.equal((await list('a')).status, 200);
    await refused(list('b'), /^pods "b" is forbidden: .* cannot list/);
    await refused(server.ask('GET', pods, { user: jane }), /cannot list/);
  });

  it('lets nobody make by apply what they may only change', async () => {
    await using server = await openServer();
    const rule = { verbs: ['get', 'patch'], apiGroups: [''], resources: ['configmaps'] };
    await grant(server, { user: 'jane', namespace: 'default' }, [rule]);
    const path = '/api/v1/namespaces/default/configmaps/a';
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { k: 'v' } };
    const contentType = 'application/apply-patch+yaml';
    const asked = { body, contentType, query: { fieldManager: 'me' } };
    await refused(server.ask('PATCH', path, { ...asked, user: jane }), /cannot create resource/);
    assert.equal((await server.ask('PATCH', path, asked)).status, 201);
    assert.equal((await server.ask('PATCH', path, { ...asked, user: jane })).status, 200);
  });

  it('lets nobody into a container who may only read Pods', async () => {
    await using server = await openServer();
    const read: Rule = { ...podReader, resources: ['pods', 'pods/exec', 'pods/portforward'] };
    await grant(server, { user: 'jane', namespace: 'default' }, [read]);
    for (const subresource of ['exec', 'portforward']) {
      const text = new RegExp(`cannot create resource "pods/${subresource}"`);
      await refused(server.ask('GET', `${pods}/a/${subresource}`, { user: jane }), text);
    }
  });

  it('shows discovery to users, and only version and health to anybody', async () => {
    await using server = await openServer();
    for (const path of ['/api', '/apis', '/apis/apps', '/openapi/v3', '/api/v1', '/version']) {
      assert.notEqual((await server.ask('GET', path, { user: jane })).status, 403, path);
    }
    for (const path of ['/healthz', '/livez', '/readyz', '/version', '/version/']) {
      assert.equal((await server.ask('GET', path, { anonymous: true })).status, 200, path);
    }
    const anonymous = 'forbidden: User "system:anonymous" cannot get path "/apis"';
    await refused(server.ask('GET', '/apis', { anonymous: true }), anonymous);
    await refused(server.ask('GET', '/metrics', { user: jane }), /cannot get path "\/metrics"$/);
  });

  it('keeps nobody waiting for ever when it closes before the roles are read', async () => {
    const store = openMemoryStore();
    const server = await openServer({ store });
    await server.server.close();
    const { status } = await server.ask('GET', pods, { user: jane });
    assert([403, 503].includes(status), String(status));
    await store.close();
  });
});
