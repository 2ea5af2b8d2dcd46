import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { at, textAt } from './at.ts';
import {
  created,
  grant,
  jane,
  named,
  podReader,
  type Rule,
  rbac,
  refused,
} from './granted-access.ts';
import { type Answer, type OpenedServer, openServer } from './opened-server.ts';

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
