import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type KubectlSession, openKubectlSession, skipWithoutKubectl } from './kubectl-session.ts';

const policy = `
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: reader, namespace: default}
rules:
- {apiGroups: [""], resources: [pods, configmaps], verbs: [get, list]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: readers, namespace: default}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: reader}
subjects:
- {kind: User, name: jane, apiGroup: rbac.authorization.k8s.io}
- {kind: Group, name: devs, apiGroup: rbac.authorization.k8s.io}
- {kind: ServiceAccount, name: sa, namespace: default}
`;

describe('kubectl and access', { skip: await skipWithoutKubectl() }, () => {
  let session: KubectlSession;

  before(async () => {
    session = await openKubectlSession();
  });

  after(() => session[Symbol.asyncDispose]());

  it('makes roles and bindings, and shows them', async () => {
    await session.expect('apply -f -', /role.*reader created\n.*readers created/, policy);
    await session.expect('apply -f -', /reader unchanged\n.*readers unchanged/, policy);
    await session.expect('get role,rolebinding -o wide', /Role\/reader .* jane +devs +default\/sa/);
    await session.expect('describe role reader', /configmaps +\[\] +\[\] +\[get list\]/);
    await session.expect('get clusterroles', /^cluster-admin +20/m);
    await session.expect('create role r --verb=get --resource=pods', /created/);
    await session.expect('create clusterrole c --verb=get --non-resource-url=/metrics', /created/);
    await session.expect('create rolebinding b --role=r --user=tom', /created/);
    await session.expect('create clusterrolebinding b --clusterrole=c --group=ops', /created/);
    await session.expectFailure(
      'patch rolebinding b -p {"roleRef":{"name":"x"}}',
      /roleRef: Invalid value: .*: cannot change roleRef/,
    );
  });

  it('auth can-i answers for oneself and for others', async () => {
    await session.expect('auth can-i delete nodes', /^yes$/m);
    await session.expect('auth can-i list pods --as=jane', /^yes$/m);
    await session.expect('auth can-i list pods --as=eve --as-group=devs', /^yes$/m);
    await session.expect('auth can-i get pods --as=system:serviceaccount:default:sa', /^yes$/m);
    await session.expectFailure('auth can-i delete pods --as=jane', /^no$/m);
    await session.expectFailure('auth can-i list pods --as=jane -n kube-system', /^no$/m);
    await session.expectFailure('auth can-i get pods --subresource=log --as=jane', /^no$/m);
    await session.expect('auth can-i get /metrics --as=x --as-group=ops', /^yes$/m);
    await session.expect('auth can-i --list', /\*\.\* +\[\] +\[\] +\[\*\]/);
    await session.expect('auth can-i --list --as=jane', /pods +\[\] +\[\] +\[get list\]/);
  });

  it('auth whoami tells who one is', async () => {
    await session.expect('auth whoami', /Username +kubernetes-admin\nGroups +\[system:masters/);
    const acting = 'auth whoami --as=jane --as-uid=7 --as-group=devs --as-group=ops';
    await session.expect(acting, /Username +jane\nUID +7\nGroups +\[devs ops system:authent/);
  });

  it('is refused in the words of Kubernetes', async () => {
    await session.expectFailure(
      'get deployments --as=jane',
      /^Error from server \(Forbidden\): deployments\.apps is forbidden: User "jane" cannot list resource "deployments" in API group "apps" in the namespace "default"$/m,
    );
    await session.expect('get pods --as=jane', /No resources found/);
    await session.expectFailure('get --raw /metrics --as=jane', /Forbidden/);
  });

  it('auth reconcile brings roles and bindings to what a file says', async () => {
    const more = policy.replace('[get, list]', '[get, list, watch]');
    await session.expect('auth reconcile -f -', /reader reconciled[\s\S]*missing rules/, more);
    await session.expect('auth can-i watch pods --as=jane', /^yes$/m);
  });

  it('create token makes a token that kubectl can use', async () => {
    await session.expect('create serviceaccount sa', /created/);
    const flags = '--duration=20m --audience=https://kubernetes.default.svc.cluster.local';
    const { out } = await session.expect(`create token sa ${flags}`, /^ey[\w-]+\.[\w-]+\.[\w-]+$/m);
    const whoami = `auth whoami --token=${out.trim()}`;
    await session.expect(whoami, /Username +system:serviceaccount:default:sa/);
    await session.expect(`get pods --token=${out.trim()}`, /No resources found/);
    await session.expectFailure('create token sa --duration=1m', /less than 10 minutes/);
    await session.expectFailure('create token nobody', /serviceaccounts "nobody" not found/);
    await session.expect('create configmap c', /created/);
    await session.expect('create secret generic s', /created/);
    const bound = 'create token sa --bound-object-kind=Secret --bound-object-name=s';
    const { out: token } = await session.expect(bound, /^ey/);
    await session.expect(`get configmaps --token=${token.trim()}`, /^c /m);
    await session.expect('delete secret s', /deleted/);
    await session.expectFailure(`get configmaps --token=${token.trim()}`, /Unauthorized|logged in/);
    await session.expectFailure('get pods --token=nonsense', /Unauthorized|logged in/);
    assert.notEqual(out, token);
  });
});
