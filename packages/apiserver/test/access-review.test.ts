import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { at, listAt, textAt } from './at.ts';
import { grant, jane, podReader, refused, review } from './granted-access.ts';
import { openServer } from './opened-server.ts';

describe('access reviews', () => {
  it('answer for others and for oneself, with the reason', async () => {
    await using server = await openServer();
    await grant(server, { user: 'jane', namespace: 'default' }, [podReader]);
    const resourceAttributes = { namespace: 'default', verb: 'get', resource: 'pods' };
    const self = await review(server, 'selfsubjectaccessreviews', {
      spec: { resourceAttributes },
      user: jane,
    });
    const reason =
      'RBAC: allowed by RoleBinding "for-jane/default" of Role "for-jane" to User "jane"';
    assert.deepEqual(at(self.body, '/status'), { allowed: true, reason });
    const other = { spec: { user: 'tom', resourceAttributes } };
    const tom = await review(server, 'subjectaccessreviews', other);
    assert.deepEqual(at(tom.body, '/status'), { allowed: false });
    await refused(
      review(server, 'subjectaccessreviews', { ...other, user: jane }),
      /cannot create resource/,
    );
    const groups = { spec: { groups: ['system:masters'], resourceAttributes } };
    const masters = await review(server, 'subjectaccessreviews', groups);
    assert.deepEqual(at(masters.body, '/status'), { allowed: true });
    const spec = { nonResourceAttributes: { path: '/apis', verb: 'get' } };
    const path = await review(server, 'selfsubjectaccessreviews', { spec, user: jane });
    assert.equal(at(path.body, '/status/allowed'), true);
  });

  it('refuse questions that are none', async () => {
    await using server = await openServer();
    const empty = await review(server, 'selfsubjectaccessreviews', { spec: {} });
    assert.equal(
      textAt(empty.body, '/message'),
      '.authorization.k8s.io "" is invalid: spec.resourceAttributes: ' +
        'Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes must be specified',
    );
    const nobody = await review(server, 'subjectaccessreviews', {
      spec: { resourceAttributes: {} },
    });
    assert.match(
      textAt(nobody.body, '/message'),
      /spec\.user: .* at least one of user or group must be/,
    );
    const nowhere = await review(server, 'selfsubjectrulesreviews', { spec: {} });
    assert.equal(at(nowhere.body, '/message'), 'no namespace on request');
    const local = '/apis/authorization.k8s.io/v1/namespaces/default/localsubjectaccessreviews';
    const spec = { user: 'jane', resourceAttributes: { namespace: 'other', verb: 'get' } };
    const elsewhere = await server.ask('POST', local, { body: { spec } });
    assert.equal(elsewhere.status, 422);
    assert.match(textAt(elsewhere.body, '/message'), /"other": must match metadata.namespace$/);
  });

  it('list the rules of a user', async () => {
    await using server = await openServer();
    await grant(server, { user: 'jane', namespace: 'default' }, [podReader]);
    const spec = { namespace: 'default' };
    const { body } = await review(server, 'selfsubjectrulesreviews', { spec, user: jane });
    assert.equal(at(body, '/status/incomplete'), false);
    assert.deepEqual(listAt(body, '/status/resourceRules').at(-1), podReader);
    const nonResourceRules = listAt(body, '/status/nonResourceRules');
    assert(nonResourceRules.some((rule) => JSON.stringify(rule).includes('/apis/*')));
  });

  it('tell who one is', async () => {
    await using server = await openServer();
    const user = { name: 'jane', uid: 'u', groups: ['system:authenticated'], extra: { a: ['b'] } };
    for (const version of ['v1', 'v1beta1']) {
      const path = `/apis/authentication.k8s.io/${version}/selfsubjectreviews`;
      const { body } = await server.ask('POST', path, { user, body: {} });
      const { groups, extra } = user;
      const userInfo = { username: 'jane', uid: 'u', groups, extra };
      assert.deepEqual(at(body, '/status'), { userInfo });
    }
  });
});
