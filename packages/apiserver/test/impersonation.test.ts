import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { User } from '../src/index.ts';
import { at, textAt } from './at.ts';
import { grant, jane, pods, refused } from './granted-access.ts';
import { type Answer, type OpenedServer, openServer } from './opened-server.ts';

describe('impersonation', () => {
  const whoami = async (
    server: OpenedServer,
    headers: Readonly<Record<string, string>>,
    user?: User,
  ): Promise<Answer> => {
    const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
    return server.ask('POST', path, { headers, body: {}, ...(user === undefined ? {} : { user }) });
  };

  it('acts as the named user, with what belongs to them', async () => {
    await using server = await openServer();
    const plain = await whoami(server, { 'impersonate-user': 'tom' });
    const groups = ['system:authenticated'];
    assert.deepEqual(at(plain.body, '/status/userInfo'), { username: 'tom', groups });
    const whole = await whoami(server, {
      'impersonate-user': 'tom',
      'impersonate-group': 'a,b\nc',
      'impersonate-uid': '7',
      'impersonate-extra-example.com%2fscope': 'x\ny',
    });
    assert.deepEqual(at(whole.body, '/status/userInfo'), {
      username: 'tom',
      uid: '7',
      groups: ['a,b', 'c', 'system:authenticated'],
      extra: { 'example.com/scope': ['x', 'y'] },
    });
    const name = 'system:serviceaccount:default:sa';
    const account = await whoami(server, { 'impersonate-user': name });
    assert.deepEqual(at(account.body, '/status/userInfo/groups'), [
      'system:serviceaccounts',
      'system:serviceaccounts:default',
      'system:authenticated',
    ]);
  });

  it('needs a right for every part of it', async () => {
    await using server = await openServer();
    await refused(
      whoami(server, { 'impersonate-user': 'tom' }, jane),
      'users "tom" is forbidden: User "jane" cannot impersonate resource "users" in API group "" at the cluster scope',
    );
    const verbs = ['impersonate'];
    const users = { verbs, apiGroups: [''], resources: ['users'], resourceNames: ['tom'] };
    await grant(server, { user: 'jane' }, [users]);
    assert.equal((await whoami(server, { 'impersonate-user': 'tom' }, jane)).status, 201);
    await refused(whoami(server, { 'impersonate-user': 'eve' }, jane), /^users "eve" is forbidden/);
    const master = { 'impersonate-user': 'tom', 'impersonate-group': 'system:masters' };
    await refused(whoami(server, master, jane), /^groups "system:masters" is forbidden/);
    const uid = { 'impersonate-user': 'tom', 'impersonate-uid': '7' };
    await refused(whoami(server, uid, jane), /^uids\.authentication\.k8s\.io "7" is forbidden/);
    const extra = { 'impersonate-user': 'tom', 'impersonate-extra-scope': 'x' };
    await refused(whoami(server, extra, jane), /resource "userextras\/scope" in API group/);
    const account = { 'impersonate-user': 'system:serviceaccount:default:sa' };
    await refused(whoami(server, account, jane), /^serviceaccounts "sa" is forbidden.*"default"$/);
  });

  it('is refused without a user, and lets nobody out of what they may do', async () => {
    await using server = await openServer();
    const { status, body } = await whoami(server, { 'impersonate-group': 'devs' });
    assert.equal(status, 400);
    const user =
      '&user.DefaultInfo{Name:"", UID:"", Groups:[]string{"devs"}, Extra:map[string][]string(nil)}';
    assert.equal(textAt(body, '/message'), `requested ${user} without impersonating a user name`);
    const headers = { 'impersonate-user': 'jane' };
    await refused(server.ask('GET', pods, { headers }), /^pods is forbidden: User "jane"/);
  });
});
