import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { PathAttributes, ResourceAttributes } from './access-attributes.ts';
import {
  accessRefusal,
  decideAccess,
  decideWithoutRules,
  type Grant,
  superuserGroup,
} from './decide-access.ts';
import { Policy } from './policy.ts';
import { formatPolicyRule, type PolicyRule, parsePolicyRules, ruleAllows } from './policy-rule.ts';

const jane = { name: 'jane', groups: ['devs', 'system:authenticated'] };

function asking(text: string): ResourceAttributes {
  const [verb = '', what = '', namespace = '', name = ''] = text.split(' ');
  const [group = '', resource = '', subresource = ''] = what.split('/');
  const target = { version: 'v1', group, resource, subresource, namespace, name };
  return { kind: 'resource', user: jane, verb, ...target };
}

const reading = (path: string): PathAttributes => ({ kind: 'path', user: jane, verb: 'get', path });

function rule(fields: Partial<PolicyRule>): PolicyRule {
  const [parsed] = parsePolicyRules([fields]);
  assert(parsed !== undefined);
  return parsed;
}

const podReader = rule({ apiGroups: [''], resources: ['pods'], verbs: ['get', 'list'] });

describe('ruleAllows()', () => {
  const any = rule({ apiGroups: ['*'], resources: ['*'], verbs: ['*'] });
  const named = rule({ ...podReader, resourceNames: ['a'] });
  const scales = rule({ apiGroups: ['apps'], resources: ['*/scale'], verbs: ['patch'] });
  const cases: readonly (readonly [PolicyRule, string, boolean])[] = [
    [podReader, 'get /pods t a', true],
    [podReader, 'delete /pods t a', false],
    [podReader, 'get apps/pods t a', false],
    [podReader, 'get /pods/log t a', false],
    [podReader, 'get /podsx t a', false],
    [any, 'delete example.com/things/status t a', true],
    [named, 'get /pods t a', true],
    [named, 'get /pods t b', false],
    [named, 'list /pods t', false],
    [scales, 'patch apps/deployments/scale t a', true],
    [scales, 'patch apps/deployments/status t a', false],
    [scales, 'patch apps/scale t a', false],
    [rule({ apiGroups: [''], resources: ['pods/log'], verbs: ['get'] }), 'get /pods/log t a', true],
    [rule({ apiGroups: [''], resources: ['pods/log'], verbs: ['get'] }), 'get /pods t a', false],
    [rule({ resources: ['pods'], verbs: ['get'] }), 'get /pods t a', false],
    [rule({ apiGroups: [''], resources: ['pods'] }), 'get /pods t a', false],
    [rule({ nonResourceURLs: ['*'], verbs: ['*'] }), 'get /pods t a', false],
  ];
  for (const [given, text, allowed] of cases) {
    it(`${allowed ? 'allows' : 'refuses'} "${text}" by ${JSON.stringify(formatPolicyRule(given))}`, () => {
      assert.equal(ruleAllows(given, asking(text)), allowed);
    });
  }

  const paths: readonly (readonly [string, string, boolean])[] = [
    ['/metrics', '/metrics', true],
    ['/metrics', '/metrics/', false],
    ['/metrics', '/metrics/x', false],
    ['/apis/*', '/apis/apps/v1', true],
    ['/apis/*', '/apis', false],
    ['*', '/anything', true],
    ['/a*', '/abc', true],
    ['/*/x', '/a/x', false],
  ];
  for (const [url, path, allowed] of paths) {
    it(`${allowed ? 'allows' : 'refuses'} ${path} by ${url}`, () => {
      assert.equal(
        ruleAllows(rule({ nonResourceURLs: [url], verbs: ['get'] }), reading(path)),
        allowed,
      );
    });
  }
});

describe('decideAccess()', () => {
  const grant: Grant = {
    source: 'RoleBinding "b/t" of Role "r" to User "jane"',
    rules: [podReader],
  };

  it('names the binding that allows', () => {
    const decision = decideAccess(asking('get /pods t a'), [grant]);
    const reason = 'RBAC: allowed by RoleBinding "b/t" of Role "r" to User "jane"';
    assert.deepEqual(decision, { allowed: true, reason });
  });

  it('refuses without a reason what no rule allows', () => {
    const decision = decideAccess(asking('get /secrets t a'), [grant]);
    assert.deepEqual(decision, { allowed: false, reason: '' });
    assert.deepEqual(decideAccess(asking('get /pods t a'), []), { allowed: false, reason: '' });
  });

  it('tells what could not be resolved when it refuses', () => {
    const broken = (problem: string): Grant => ({ source: '', rules: [], problem });
    const { reason } = decideAccess(asking('get /secrets t a'), [broken('a'), broken('b')]);
    assert.equal(reason, 'RBAC: [a, b]');
    assert.equal(decideAccess(asking('get /x t'), [broken('a')]).reason, 'RBAC: a');
    assert.equal(decideAccess(asking('get /pods t a'), [broken('a'), grant]).allowed, true);
  });
});

describe('decideWithoutRules()', () => {
  it('lets superusers do everything and everybody ask for health', () => {
    const root = { name: 'root', groups: [superuserGroup] };
    assert.equal(decideWithoutRules({ ...asking('delete /pods t a'), user: root })?.allowed, true);
    for (const path of ['/healthz', '/livez', '/readyz']) {
      assert.equal(decideWithoutRules(reading(path))?.allowed, true, path);
    }
  });

  it('leaves everything else to the rules', () => {
    assert.equal(decideWithoutRules(asking('get /pods t a')), undefined);
    for (const path of ['/healthz/etcd', '/version', '/metrics', '/', '/healthz/..']) {
      assert.equal(decideWithoutRules(reading(path)), undefined, path);
    }
  });
});

describe('accessRefusal()', () => {
  const cases: readonly (readonly [string, string, string])[] = [
    [
      'list apps/deployments default',
      '',
      'deployments.apps is forbidden: User "jane" cannot list resource "deployments" in API group "apps" in the namespace "default"',
    ],
    [
      'get /pods t a',
      '',
      'pods "a" is forbidden: User "jane" cannot get resource "pods" in API group "" in the namespace "t"',
    ],
    [
      'get /pods/log t a',
      '',
      'pods "a" is forbidden: User "jane" cannot get resource "pods/log" in API group "" in the namespace "t"',
    ],
    [
      'create /namespaces',
      'RBAC: clusterrole.rbac.authorization.k8s.io "x" not found',
      'namespaces is forbidden: User "jane" cannot create resource "namespaces" in API group "" at the cluster scope: RBAC: clusterrole.rbac.authorization.k8s.io "x" not found',
    ],
  ];
  for (const [text, reason, message] of cases) {
    it(`answers "${text}" in Kubernetes' words`, () => {
      const { status } = accessRefusal(asking(text), reason);
      assert.equal(status.message, message);
      assert.equal(status.code, 403);
    });
  }

  it('names group, kind and object in its details', () => {
    const { status } = accessRefusal(asking('delete apps/deployments t d'), '');
    assert.deepEqual(status.details, { name: 'd', group: 'apps', kind: 'deployments' });
  });

  it('tells the path, and lets no markup through', () => {
    const { status } = accessRefusal(reading('/metrics?<script>'), '');
    const text = 'forbidden: User "jane" cannot get path "/metrics?&lt;script&gt;"';
    assert.equal(status.message, text);
    assert.deepEqual(status.details, {});
  });
});

describe('Policy', () => {
  const values = (...pool: string[]): fc.Arbitrary<string[]> => fc.subarray(pool, { minLength: 1 });
  const anyRule = fc.record({
    verbs: values('get', 'list', 'delete', '*'),
    apiGroups: values('', 'apps', '*'),
    resources: values('pods', 'pods/log', 'deployments', '*/scale', '*'),
    resourceNames: fc.subarray(['a', 'b']),
  });
  const anySubject = fc.oneof(
    fc.record({ kind: fc.constant('User'), name: fc.constantFrom('jane', 'tom') }),
    fc.record({ kind: fc.constant('Group'), name: fc.constantFrom('devs', 'ops') }),
    fc.record({
      kind: fc.constant('ServiceAccount'),
      name: fc.constantFrom('sa'),
      namespace: fc.constantFrom('t', 'u'),
    }),
  );
  const anyBinding = fc.record({
    name: fc.constantFrom('b1', 'b2', 'b3', 'b4'),
    namespace: fc.constantFrom('', 't', 'u'),
    subjects: fc.array(anySubject, { maxLength: 3 }),
    rules: fc.array(anyRule, { maxLength: 2 }),
  });
  type AnyBinding = typeof anyBinding extends fc.Arbitrary<infer T> ? T : never;
  const anyUser = fc.record({
    name: fc.constantFrom('jane', 'tom', 'system:serviceaccount:t:sa'),
    groups: fc.subarray(['devs', 'ops']),
  });
  const anyAsking = fc
    .tuple(
      fc.constantFrom('get', 'list', 'delete', 'create'),
      fc.constantFrom('/pods', '/pods/log', 'apps/deployments', 'apps/deployments/scale'),
      fc.constantFrom('', 't', 'u'),
      fc.constantFrom('', 'a', 'c'),
    )
    .map((parts) => asking(parts.join(' ')));

  /** A policy of these bindings; each has a role of its own, a later one replaces one of its name. */
  function policyOf(bindings: readonly AnyBinding[]): Policy {
    const policy = new Policy();
    for (const { name, namespace, subjects, rules } of bindings) {
      const place = namespace === '' ? name : `${namespace}/${name}`;
      const kind = namespace === '' ? 'ClusterRole' : 'Role';
      policy.apply(namespace === '' ? 'clusterroles' : 'roles', place, { rules });
      const plural = namespace === '' ? 'clusterrolebindings' : 'rolebindings';
      policy.apply(plural, place, { subjects, roleRef: { kind, name } });
    }
    return policy;
  }

  const isAllowed = (policy: Policy, asked: ResourceAttributes): boolean =>
    decideAccess(asked, policy.grants(asked.user, asked.namespace)).allowed;

  function names(user: { name: string; groups: readonly string[] }, subject: object): boolean {
    const { kind = '', name = '', namespace = '' }: Record<string, string> = { ...subject };
    if (kind === 'User') return user.name === name;
    if (kind === 'Group') return user.groups.includes(name);
    return user.name === `system:serviceaccount:${namespace}:${name}`;
  }

  it('grants exactly what a rule of a binding for the user says', () => {
    const property = fc.property(
      fc.uniqueArray(anyBinding, { selector: ({ name, namespace }) => `${namespace}/${name}` }),
      anyUser,
      anyAsking,
      (bindings, user, asked) => {
        const expected = bindings.some(
          ({ namespace, subjects, rules }) =>
            (namespace === '' || namespace === asked.namespace) &&
            subjects.some((subject) => names(user, subject)) &&
            parsePolicyRules(rules).some((given) => ruleAllows(given, asked)),
        );
        assert.equal(isAllowed(policyOf(bindings), { ...asked, user }), expected);
      },
    );
    fc.assert(property);
  });

  it('never takes a right away when a binding is added', () => {
    const property = fc.property(
      fc.uniqueArray(anyBinding, { selector: ({ name, namespace }) => `${namespace}/${name}` }),
      anyUser,
      anyAsking,
      (bindings, user, asked) => {
        const before = isAllowed(policyOf(bindings.slice(1)), { ...asked, user });
        const after = isAllowed(policyOf(bindings), { ...asked, user });
        assert(!before || after);
      },
    );
    fc.assert(property);
  });

  it('is after any history of changes the one of the objects that are left', () => {
    const property = fc.property(
      fc.array(anyBinding, { maxLength: 12 }),
      anyUser,
      anyAsking,
      (history, user, asked) => {
        const key = ({ name, namespace }: AnyBinding): string => `${namespace}/${name}`;
        const last = [...new Map(history.map((binding) => [key(binding), binding])).values()];
        const fresh = policyOf(last);
        assert.equal(
          isAllowed(policyOf(history), { ...asked, user }),
          isAllowed(fresh, { ...asked, user }),
        );
        for (const { name, namespace } of last) {
          const place = namespace === '' ? name : `${namespace}/${name}`;
          fresh.apply(namespace === '' ? 'clusterrolebindings' : 'rolebindings', place, undefined);
        }
        assert.equal(isAllowed(fresh, { ...asked, user }), false);
      },
    );
    fc.assert(property);
  });

  it('takes a ServiceAccount without a namespace from that of its binding', () => {
    const policy = new Policy();
    policy.apply('roles', 't/r', { rules: [podReader] });
    policy.apply('rolebindings', 't/b', {
      roleRef: { kind: 'Role', name: 'r' },
      subjects: [{ kind: 'ServiceAccount', name: 'sa' }],
    });
    const user = { name: 'system:serviceaccount:t:sa', groups: [] };
    const asked = { ...asking('get /pods t a'), user };
    const { reason } = decideAccess(asked, policy.grants(user, 't'));
    const text = 'RoleBinding "b/t" of Role "r" to ServiceAccount "sa/t"';
    assert.equal(reason, `RBAC: allowed by ${text}`);
  });

  it('takes nothing for a binding that only looks like one', () => {
    const policy = new Policy();
    policy.apply('clusterroles', 'r', { rules: [podReader] });
    const subjects = [{ kind: 'User', name: 'jane' }];
    policy.apply('fakebindings', 'b', { roleRef: { kind: 'ClusterRole', name: 'r' }, subjects });
    assert.deepEqual([...policy.grants(jane, 't')], []);
  });

  it('tells of a bound role that is not there', () => {
    const policy = new Policy();
    const subjects = [{ kind: 'User', name: 'jane' }];
    policy.apply('rolebindings', 't/b', { roleRef: { kind: 'Role', name: 'r' }, subjects });
    const asked = asking('get /pods t a');
    const { reason } = decideAccess(asked, policy.grants(jane, 't'));
    assert.equal(reason, 'RBAC: role.rbac.authorization.k8s.io "r" not found');
  });
});
