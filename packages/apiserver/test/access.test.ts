import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openMemoryStore } from '@fnlet/store';
import type { User } from '../src/index.ts';
import { at, listAt, textAt } from './at.ts';
import { type Answer, type OpenedServer, openServer } from './opened-server.ts';

const rbac = '/apis/rbac.authorization.k8s.io/v1';
const pods = '/api/v1/namespaces/default/pods';
const administrator: User = { name: 'root', groups: ['system:masters'] };
const jane: User = { name: 'jane', groups: ['system:authenticated'] };

interface Rule {
  readonly verbs: readonly string[];
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
}

const podReader: Rule = { verbs: ['get', 'list'], apiGroups: [''], resources: ['pods'] };

const named = (name: string, rest: object): object => ({ metadata: { name }, ...rest });

async function grant(
  server: OpenedServer,
  to: { readonly user: string; readonly namespace?: string },
  rules: readonly Rule[],
): Promise<void> {
  const { user, namespace = '' } = to;
  const scope = namespace === '' ? rbac : `${rbac}/namespaces/${namespace}`;
  const [roles, bindings] =
    namespace === '' ? ['clusterroles', 'clusterrolebindings'] : ['roles', 'rolebindings'];
  const kind = namespace === '' ? 'ClusterRole' : 'Role';
  await created(server.ask('POST', `${scope}/${roles}`, { body: named(`for-${user}`, { rules }) }));
  const roleRef = { kind, name: `for-${user}` };
  const body = named(`for-${user}`, { roleRef, subjects: [{ kind: 'User', name: user }] });
  await created(server.ask('POST', `${scope}/${bindings}`, { body }));
}

async function created(answer: Promise<Answer>): Promise<Answer> {
  const found = await answer;
  assert.equal(found.status, 201, JSON.stringify(found.body));
  return found;
}

async function refused(answer: Promise<Answer>, message: string | RegExp): Promise<void> {
  const { status, body } = await answer;
  assert.equal(status, 403, JSON.stringify(body));
  if (typeof message === 'string') assert.equal(at(body, '/message'), message);
  else assert.match(textAt(body, '/message'), message);
}

async function review(
  server: OpenedServer,
  kind: string,
  asked: { readonly spec: object; readonly user?: User },
): Promise<Answer> {
  const path = `/apis/authorization.k8s.io/v1/${kind}`;
  const { user = administrator, spec } = asked;
  return server.ask('POST', path, { body: { spec }, user });
}

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
    await until('gathered', see);
    await until('gathered by what gathers it', async () => {
      const { body: edit } = await server.ask('GET', `${rbac}/clusterroles/edit`);
      return JSON.stringify(at(edit, '/rules')).includes('example.com');
    });
    await server.ask('DELETE', `${rbac}/clusterroles/things-viewer`);
    await until('dropped', async () => !(await see()));
  });
});

async function until(what: string, look: () => Promise<boolean>): Promise<void> {
  for (let turns = 0; turns < 1000; turns++) {
    if (await look()) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.fail(`did not happen: ${what}`);
}

describe('escalation', () => {
  const roleWriter: Rule = {
    verbs: ['create', 'update', 'patch'],
    apiGroups: ['rbac.authorization.k8s.io'],
    resources: ['roles', 'rolebindings', 'clusterroles', 'clusterrolebindings'],
  };
  const roles = `${rbac}/namespaces/default/roles`;
  const bindings = `${rbac}/namespaces/default/rolebindings`;
  const writeRole = (server: OpenedServer, rules: readonly Rule[], name = 'r'): Promise<Answer> =>
    server.ask('POST', roles, { user: jane, body: named(name, { rules }) });
  const bind = (server: OpenedServer, role: object): Promise<Answer> => {
    const subjects = [{ kind: 'User', name: 'jane' }];
    return server.ask('POST', bindings, {
      user: jane,
      body: named('b', { roleRef: role, subjects }),
    });
  };

  it('lets a user write a role only with rights that they have', async () => {
    await using server = await openServer();
    await grant(server, { user: 'jane' }, [roleWriter, podReader]);
    await created(writeRole(server, [{ ...podReader, verbs: ['get'] }]));
    const text =
      'roles.rbac.authorization.k8s.io "s" is forbidden: user "jane" ' +
      '(groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently ' +
      'held:\n{APIGroups:[""], Resources:["secrets"], Verbs:["get"]}';
    const secrets = { ...podReader, resources: ['secrets', 'pods'], verbs: ['get'] };
    await refused(writeRole(server, [secrets], 's'), text);
    const patch = { rules: [secrets] };
    const contentType = 'application/merge-patch+json';
    await refused(
      server.ask('PATCH', `${roles}/r`, { user: jane, body: patch, contentType }),
      /attempting to grant/,
    );
    await grant(server, { user: 'escalator' }, []);
    const escalate = { ...roleWriter, verbs: ['escalate'], resources: ['roles'] };
    await server.ask('PATCH', `${rbac}/clusterroles/for-jane`, {
      body: { rules: [roleWriter, escalate] },
      contentType,
    });
    await created(writeRole(server, [secrets], 's'));
  });

  it('lets a user bind a role only with rights that they have', async () => {
    await using server = await openServer();
    await grant(server, { user: 'jane' }, [roleWriter, podReader]);
    await refused(
      bind(server, { kind: 'ClusterRole', name: 'cluster-admin' }),
      /not currently held/,
    );
    const missing = await bind(server, { kind: 'Role', name: 'nope' });
    assert.equal(missing.status, 404);
    assert.equal(at(missing.body, '/message'), 'roles.rbac.authorization.k8s.io "nope" not found');
    const resourceNames = ['cluster-admin'];
    const binder = { ...roleWriter, verbs: ['bind'], resources: ['clusterroles'], resourceNames };
    await server.ask('PATCH', `${rbac}/clusterroles/for-jane`, {
      body: { rules: [roleWriter, binder] },
      contentType: 'application/merge-patch+json',
    });
    await refused(bind(server, { kind: 'ClusterRole', name: 'admin' }), /not currently held/);
    await created(bind(server, { kind: 'ClusterRole', name: 'cluster-admin' }));
  });

  it('keeps aggregation to those who may do everything', async () => {
    await using server = await openServer();
    await grant(server, { user: 'jane' }, [roleWriter]);
    const clusterRoleSelectors = [{ matchLabels: { a: 'b' } }];
    const body = named('g', { aggregationRule: { clusterRoleSelectors } });
    await refused(
      server.ask('POST', `${rbac}/clusterroles`, { user: jane, body }),
      /must have cluster-admin privileges to use the aggregationRule$/,
    );
  });
});

describe('roles and bindings', () => {
  const invalid: readonly (readonly [string, object, string])[] = [
    [
      'roles',
      { rules: [{ apiGroups: [''], resources: ['pods'] }] },
      'rules[0].verbs: Required value: verbs must contain at least one value',
    ],
    [
      'roles',
      { rules: [{ verbs: ['get'], resources: ['pods'] }] },
      'rules[0].apiGroups: Required value: resource rules must supply at least one api group',
    ],
    [
      'roles',
      { rules: [{ verbs: ['get'], apiGroups: [''] }] },
      'rules[0].resources: Required value: resource rules must supply at least one resource',
    ],
    [
      'roles',
      { rules: [{ verbs: ['get'], nonResourceURLs: ['/x'] }] },
      'rules[0].nonResourceURLs: Invalid value: ["/x"]: namespaced rules cannot apply to non-resource URLs',
    ],
    [
      'clusterroles',
      { rules: [{ verbs: ['get'], nonResourceURLs: ['/x'], apiGroups: [''] }] },
      'rules[0].nonResourceURLs: Invalid value: ["/x"]: rules cannot apply to both regular resources and non-resource URLs',
    ],
    [
      'clusterroles',
      { aggregationRule: {} },
      'aggregationRule.clusterRoleSelectors: Required value: at least one clusterRoleSelector required if aggregationRule is non-nil',
    ],
    [
      'rolebindings',
      { roleRef: { kind: 'Rolle', name: 'r' } },
      'roleRef.kind: Unsupported value: "Rolle": supported values: "Role", "ClusterRole"',
    ],
    [
      'rolebindings',
      { roleRef: { kind: 'Role', name: 'a/b' } },
      'roleRef.name: Invalid value: "a/b": may not contain \'/\'',
    ],
    [
      'clusterrolebindings',
      { roleRef: { kind: 'Role', name: 'r' } },
      'roleRef.kind: Unsupported value: "Role": supported values: "ClusterRole"',
    ],
    [
      'clusterrolebindings',
      {
        roleRef: { kind: 'ClusterRole', name: 'r' },
        subjects: [{ kind: 'ServiceAccount', name: 'a' }],
      },
      'subjects[0].namespace: Required value',
    ],
    [
      'rolebindings',
      {
        roleRef: { kind: 'Role', name: 'r' },
        subjects: [{ kind: 'User', name: 'a', apiGroup: 'x' }],
      },
      'subjects[0].apiGroup: Unsupported value: "x": supported values: "rbac.authorization.k8s.io"',
    ],
    [
      'rolebindings',
      { roleRef: { kind: 'Role', name: 'r' }, subjects: [{ kind: 'Robot', name: 'a' }] },
      'subjects[0].kind: Unsupported value: "Robot": supported values: "ServiceAccount", "User", "Group"',
    ],
  ];

  it('are refused with the texts of Kubernetes', async () => {
    await using server = await openServer();
    for (const [plural, rest, expected] of invalid) {
      const scope = plural.startsWith('cluster') ? rbac : `${rbac}/namespaces/default`;
      const { status, body } = await server.ask('POST', `${scope}/${plural}`, {
        body: named('x', rest),
      });
      assert.equal(status, 422, expected);
      assert.equal(textAt(body, '/message').replace(/^.*? "x" is invalid: /, ''), expected);
    }
  });
});

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
      'SelfSubjectAccessReview.authorization.k8s.io "" is invalid: spec.resourceAttributes: ' +
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
    assert.equal(elsewhere.status, 400);
    assert.match(textAt(elsewhere.body, '/message'), /must match namespace: default/);
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
    const { status } = await whoami(server, { 'impersonate-group': 'devs' });
    assert.equal(status, 500);
    const headers = { 'impersonate-user': 'jane' };
    await refused(server.ask('GET', pods, { headers }), /^pods is forbidden: User "jane"/);
  });
});
