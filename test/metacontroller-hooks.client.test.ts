/**
 * Hooks as they were written for Metacontroller, whose code is left alone: its "hello world" in
 * Python, with finalize and customize besides. The hub calls them in place of Metacontroller.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { needsPython, pythonName } from '../runtimes/python/test/python.ts';
import { type FnletProcess, startFnlet } from './fnlet-process.ts';
import { until } from './until.ts';

// What answers HTTP is the Function's; what it calls is Metacontroller's.
const hooks = `
def sync(parent, children, related):
    who = parent.get("spec", {}).get("who", "World")
    words = related["ConfigMap.v1"].get("words", {}).get("data", {})
    greeting = words.get("greeting", "Hello")
    desired_status = {"maps": len(children["ConfigMap.v1"])}
    desired = [{
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": parent["metadata"]["name"]},
        "data": {"text": "%s, %s!" % (greeting, who)},
    }]
    return {"status": desired_status, "children": desired}

def customize(parent):
    return {"relatedResources": [{"apiVersion": "v1", "resource": "configmaps", "names": ["words"]}]}

def finalize(parent, children):
    # One more round than it takes, to be seen.
    return {"children": [], "finalized": len(children["ConfigMap.v1"]) == 0}

def handler(request):
    observed = request.json()
    assert observed["controller"]["kind"] == "CompositeController"
    if request.path == "/customize":
        return customize(observed["parent"])
    if request.path == "/finalize":
        assert observed["finalizing"]
        return finalize(observed["parent"], observed["children"])
    related = {"ConfigMap.v1": {}, **observed["related"]}
    return sync(observed["parent"], observed["children"], related)
`;

const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'helloworlds.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { kind: 'HelloWorld', plural: 'helloworlds', singular: 'helloworld' },
    versions: [
      {
        ...{ name: 'v1', served: true, storage: true, subresources: { status: {} } },
        schema: {
          openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        },
      },
    ],
  },
};

const operator = {
  apiVersion: 'fnlet.dev/v1alpha1',
  kind: 'Operator',
  metadata: { name: 'hello-world', namespace: 'default' },
  spec: {
    for: { apiVersion: 'example.com/v1', kind: 'HelloWorld' },
    owns: [{ apiVersion: 'v1', kind: 'ConfigMap' }],
    reconcile: { runtime: pythonName, source: { files: { 'handler.py': hooks } } },
    hooks: { sync: {}, finalize: {}, customize: {} },
    finalize: true,
    serviceAccountName: 'hello-world',
  },
};

const account = [
  {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name: 'hello-world', namespace: 'default' },
  },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: 'hello-world' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ kind: 'ServiceAccount', name: 'hello-world', namespace: 'default' }],
  },
];

let fnlet: FnletProcess;
before(async () => {
  fnlet = await startFnlet();
});
after(() => fnlet[Symbol.asyncDispose]());

async function apply(...objects: readonly object[]): Promise<void> {
  const input = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects });
  const { code, stderr } = await fnlet.kubectl(['apply', '-f', '-'], { input });
  assert.equal(code, 0, stderr);
}

async function kubectl(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await fnlet.kubectl(args);
  assert.equal(code, 0, `kubectl ${args.join(' ')}:\n${stderr}`);
  return stdout;
}

test('sync, customize and finalize of Metacontroller run behind the hub', needsPython, async () => {
  await apply(definition, ...account, {
    ...{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'words', namespace: 'default' } },
    data: { greeting: 'Moin' },
  });
  await kubectl('wait', '--for=condition=Established', 'crd/helloworlds.example.com');
  await apply(operator);
  await kubectl(
    'wait',
    '--for=condition=Ready',
    'operators.fnlet.dev/hello-world',
    '--timeout=60s',
  );
  const parent = {
    ...{ apiVersion: 'example.com/v1', kind: 'HelloWorld', spec: { who: 'Ada' } },
    metadata: { name: 'ada', namespace: 'default' },
  };
  await apply(parent);
  const text = (): Promise<string> =>
    kubectl('get', 'configmap', 'ada', '-o', 'jsonpath={.data.text}');
  await until(async () => (await text()) === 'Moin, Ada!', { what: 'sync' });
  const status = (): Promise<string> =>
    kubectl('get', 'helloworld', 'ada', '-o', 'jsonpath={.status.maps}');
  await until(async () => (await status()) === '1', { what: 'the status of the second sync' });

  await apply({ ...parent, spec: { who: 'Bob' } });
  await until(async () => (await text()) === 'Moin, Bob!', { what: 'a change' });
  await kubectl('delete', 'helloworld', 'ada', '--timeout=30s');
  assert.equal((await kubectl('get', 'configmaps', '-o', 'name')).includes('/ada'), false);
});
