import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openMemoryStore } from '@fnlet/store';
import { at } from './at.ts';
import { created, grant, jane, named, podReader, rbac, review } from './granted-access.ts';
import { type Answer, openServer } from './opened-server.ts';

describe('the default roles', () => {
  it('are those of Kubernetes, with Fnlet in admin, edit and view', async () => {
    await using server = await openServer();
    const may = async (role: string, verb: string, what: string): Promise<boolean> => {
      const [group = '', resource = ''] = what.split('/');
      const spec = {
        user: role,
        resourceAttributes: { namespace: 'default', verb, group, resource },
      };
      const { body } = await review(server, 'subjectaccessreviews', { spec });
      return at(body, '/status/allowed') === true;
    };
    for (const role of ['admin', 'edit', 'view', 'cluster-admin']) {
      const body = named(role, {
        roleRef: { kind: 'ClusterRole', name: role },
        subjects: [{ kind: 'User', name: role }],
      });
      const path = `${rbac}/namespaces/default/rolebindings`;
      await created(server.ask('POST', path, { body }));
    }
    const table: readonly (readonly [string, string, readonly string[]])[] = [
      ['get', 'apps/deployments', ['admin', 'edit', 'view', 'cluster-admin']],
      ['create', 'apps/deployments', ['admin', 'edit', 'cluster-admin']],
      ['get', '/secrets', ['admin', 'edit', 'cluster-admin']],
      ['create', 'rbac.authorization.k8s.io/roles', ['admin', 'cluster-admin']],
      ['delete', 'example.com/things', ['cluster-admin']],
      ['get', 'fnlet.dev/functions', ['admin', 'edit', 'view', 'cluster-admin']],
      ['create', 'fnlet.dev/functions', ['admin', 'edit', 'cluster-admin']],
      ['delete', 'fnlet.dev/revisions', ['cluster-admin']],
      ['get', 'serverless.kyma-project.io/functions', ['admin', 'edit', 'view', 'cluster-admin']],
      ['patch', 'serverless.kyma-project.io/functions', ['admin', 'edit', 'cluster-admin']],
    ];
    for (const [verb, what, allowed] of table) {
      for (const role of ['admin', 'edit', 'view', 'cluster-admin']) {
        assert.equal(
          await may(role, verb, what),
          allowed.includes(role),
          `${role} ${verb} ${what}`,
        );
      }
    }
  });

  it('come back at the next start, and stay as they are where somebody wants it so', async () => {
    const store = openMemoryStore();
    {
      const first = await openServer({ store });
      const path = `${rbac}/clusterroles`;
      await review(first, 'selfsubjectrulesreviews', {
        spec: { namespace: 'default' },
        user: jane,
      });
      assert.equal((await first.ask('DELETE', `${path}/system:basic-user`)).status, 200);
      const trim = { rules: [], metadata: { annotations: { kept: 'yes' } } };
      const asked = { body: trim, contentType: 'application/merge-patch+json' };
      assert.equal((await first.ask('PATCH', `${path}/system:discovery`, asked)).status, 200);
      const annotations = { 'rbac.authorization.kubernetes.io/autoupdate': 'false' };
      const frozen = { ...asked, body: { rules: [], metadata: { annotations } } };
      assert.equal((await first.ask('PATCH', `${path}/system:monitoring`, frozen)).status, 200);
      await first.server.close();
    }
    const second = await openServer({ store });
    assert.equal((await second.ask('GET', '/apis', { user: jane })).status, 200);
    const get = async (name: string): Promise<Answer> =>
      second.ask('GET', `${rbac}/clusterroles/${name}`);
    assert.equal((await get('system:basic-user')).status, 200);
    assert.equal(at((await get('system:discovery')).body, '/metadata/annotations/kept'), 'yes');
    assert.deepEqual(at((await get('system:monitoring')).body, '/rules'), []);
    await second[Symbol.asyncDispose]();
  });

  it('gather rules from roles that come and go', async () => {
    await using server = await openServer();
    await grant(server, { user: 'jane', namespace: 'default' }, [podReader]);
    const roleRef = { kind: 'ClusterRole', name: 'view' };
    const body = named('v', { roleRef, subjects: [{ kind: 'User', name: 'tom' }] });
    await created(server.ask('POST', `${rbac}/clusterrolebindings`, { body }));
    const see = async (): Promise<boolean> => {
      const resourceAttributes = { verb: 'get', group: 'example.com', resource: 'things' };
      const spec = { user: 'tom', resourceAttributes };
      const { body } = await review(server, 'subjectaccessreviews', { spec });
      return at(body, '/status/allowed') === true;
    };
    assert.equal(await see(), false);
    const role = {
      metadata: {
        name: 'things-viewer',
        labels: { 'rbac.authorization.k8s.io/aggregate-to-view': 'true' },
      },
      rules: [{ verbs: ['get'], apiGroups: ['example.com'], resources: ['things'] }],
    };
    await created(server.ask('POST', `${rbac}/clusterroles`, { body: role }));
    assert.equal(await see(), true);
    await until('gathered by what gathers it', async () => {
      const { body: edit } = await server.ask('GET', `${rbac}/clusterroles/edit`);
      return JSON.stringify(at(edit, '/rules')).includes('example.com');
    });
    await server.ask('DELETE', `${rbac}/clusterroles/things-viewer`);
    assert.equal(await see(), false);
  });
});

async function until(what: string, look: () => Promise<boolean>): Promise<void> {
  for (let turns = 0; turns < 1000; turns++) {
    if (await look()) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.fail(`did not happen: ${what}`);
}
