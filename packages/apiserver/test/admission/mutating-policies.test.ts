import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { VirtualClock } from '@fnlet/base';
import { at } from '../at.ts';
import { type Answer, type OpenedServer, openServer } from '../opened-server.ts';
import { openHookedServer } from './hooked-server.ts';
import { asPolicyWriter, shownWriter } from './policy-writer.ts';

// The texts are those of kube-apiserver 1.36.3's sources (admission/plugin/policy/mutating).

const api = 'admissionregistration.k8s.io/v1';
const maps = '/api/v1/namespaces/default/configmaps';
const deployments = '/apis/apps/v1/namespaces/default/deployments';

const rule = {
  ...{ apiGroups: ['', 'apps'], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'] },
  resources: ['configmaps', 'deployments'],
};

function policy({ ask }: OpenedServer, spec: object, name = 'p'): Promise<Answer> {
  const head = { apiVersion: api, kind: 'MutatingAdmissionPolicy', metadata: { name } };
  const matchConstraints = { resourceRules: [rule] };
  const body = { ...head, spec: { matchConstraints, reinvocationPolicy: 'Never', ...spec } };
  return ask('POST', `/apis/${api}/mutatingadmissionpolicies`, { body });
}

function bind({ ask }: OpenedServer, spec: object = {}, name = 'b'): Promise<Answer> {
  const head = { apiVersion: api, kind: 'MutatingAdmissionPolicyBinding', metadata: { name } };
  const body = { ...head, spec: { policyName: 'p', ...spec } };
  return ask('POST', `/apis/${api}/mutatingadmissionpolicybindings`, { body });
}

function create({ ask }: OpenedServer, name = 'a', rest: object = {}): Promise<Answer> {
  const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, ...rest };
  return ask('POST', maps, { body });
}

const applied = (...expressions: string[]): object => ({
  mutations: expressions.map((expression) => ({
    ...{ patchType: 'ApplyConfiguration', applyConfiguration: { expression } },
  })),
});

const patched = (...expressions: string[]): object => ({
  mutations: expressions.map((expression) => ({
    ...{ patchType: 'JSONPatch', jsonPatch: { expression } },
  })),
});

/** A server with one policy that is bound. */
async function withPolicy(spec: object, binding: object = {}): Promise<OpenedServer> {
  const server = await openServer();
  const made = await policy(server, spec);
  assert.equal(made.status, 201, JSON.stringify(made.body));
  assert.equal((await bind(server, binding)).status, 201);
  return server;
}

const labelled = 'Object{metadata: Object.metadata{labels: {"by": "policy"}}}';

const deployment = {
  ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web' } },
  spec: {
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: { containers: [{ name: 'main', image: 'i' }] },
    },
  },
};

/** The message of a refusal by the policy `p`. */
const denied = (text: string): string => `policy 'p' with binding 'b' denied request: ${text}`;

describe('a mutating policy', () => {
  it('counts from the answer to its binding on, and no longer than that, and warns of nothing', async () => {
    await using server = await openServer();
    const { headers } = await policy(server, applied(labelled));
    assert.equal(headers.warning, undefined);
    assert.equal(at((await create(server, 'unbound')).body, '/metadata/labels'), undefined);
    assert.equal((await bind(server)).headers.warning, undefined);
    const { body } = await create(server);
    assert.deepEqual(at(body, '/metadata/labels'), { by: 'policy' });
    const read = await server.ask('GET', `${maps}/a`);
    assert.deepEqual(at(read.body, '/metadata/labels'), { by: 'policy' });
    await server.ask('DELETE', `/apis/${api}/mutatingadmissionpolicybindings/b`);
    assert.equal(at((await create(server, 'later')).body, '/metadata/labels'), undefined);
  });

  it('merges what it states, item by item, and owns none of it', async () => {
    const sidecar =
      'Object.spec.template.spec.containers{name: "proxy", image: object.spec.template.spec.containers[0].image}';
    const spec = `Object.spec{replicas: 3, template: Object.spec.template{spec: Object.spec.template.spec{containers: [${sidecar}]}}}`;
    await using server = await withPolicy(applied(`Object{spec: ${spec}}`));
    const { status, body } = await server.ask('POST', deployments, { body: deployment });
    assert.equal(status, 201, JSON.stringify(body));
    assert.equal(at(body, '/spec/replicas'), 3);
    assert.equal(at(body, '/spec/template/spec/containers/0/name'), 'main');
    assert.equal(at(body, '/spec/template/spec/containers/1/name'), 'proxy');
    // With the defaults of what was added.
    assert.equal(at(body, '/spec/template/spec/containers/1/imagePullPolicy'), 'Always');
    const owned = JSON.stringify(at(body, '/metadata/managedFields'));
    assert.match(owned, /"k:{\\"name\\":\\"main\\"}"/);
    assert.doesNotMatch(owned, /proxy/);
  });

  it('patches, with escaped keys and values of any form', async () => {
    const key = '"/metadata/labels/" + jsonpatch.escapeKey("a.dev/b")';
    const expression = `has(object.metadata.labels) ? [JSONPatch{op: "add", path: ${key}, value: "1"}] : [JSONPatch{op: "add", path: "/metadata/labels", value: {"a.dev/b": "0"}}]`;
    await using server = await withPolicy(patched(expression));
    assert.deepEqual(at((await create(server)).body, '/metadata/labels'), { 'a.dev/b': '0' });
    const { body } = await create(server, 'b', { metadata: { name: 'b', labels: { c: '2' } } });
    assert.deepEqual(at(body, '/metadata/labels'), { 'a.dev/b': '1', c: '2' });
  });

  it('changes nothing where a test of its patch fails', async () => {
    const expression =
      '[JSONPatch{op: "test", path: "/data/a", value: "x"}, JSONPatch{op: "replace", path: "/data/a", value: "y"}]';
    await using server = await withPolicy(patched(expression));
    assert.deepEqual(at((await create(server, 'a', { data: { a: 'w' } })).body, '/data'), {
      a: 'w',
    });
    assert.deepEqual(at((await create(server, 'b', { data: { a: 'x' } })).body, '/data'), {
      a: 'y',
    });
  });

  it('makes one mutation after the other, with variables that are looked at anew', async () => {
    const variables = [{ name: 'n', expression: 'object.data.size()' }];
    const mutations = applied(
      'Object{data: {"one": string(variables.n)}}',
      'Object{data: {"two": string(variables.n)}}',
    );
    await using server = await withPolicy({ variables, ...mutations });
    const { body } = await create(server, 'a', { data: { a: '' } });
    assert.deepEqual(at(body, '/data'), { a: '', one: '1', two: '2' });
  });

  it('is asked where its conditions are met, its rules match and there is an object', async () => {
    const matchConditions = [{ name: 'c', expression: 'object.metadata.name != "skip"' }];
    await using server = await withPolicy({ matchConditions, ...applied(labelled) });
    assert.equal(at((await create(server, 'skip')).body, '/metadata/labels'), undefined);
    assert.deepEqual(at((await create(server)).body, '/metadata/labels'), { by: 'policy' });
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' } };
    const made = await server.ask('POST', '/api/v1/namespaces/default/secrets', { body: secret });
    assert.equal(at(made.body, '/metadata/labels'), undefined);
    assert.equal((await server.ask('DELETE', `${maps}/a`)).status, 200);
  });

  it('keeps what it added when the client sends the object without it', async () => {
    await using server = await withPolicy(applied(labelled));
    const { body: first } = await create(server);
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } };
    const { body: second } = await server.ask('PUT', `${maps}/a`, { body });
    assert.deepEqual(at(second, '/metadata/labels'), { by: 'policy' });
    const version = at(first, '/metadata/resourceVersion');
    assert.equal(at(second, '/metadata/resourceVersion'), version);
  });

  it('changes what is applied, and a dry run changes nothing', async () => {
    await using server = await withPolicy(applied(labelled));
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { a: '1' } };
    const contentType = 'application/apply-patch+yaml';
    const query = { fieldManager: 'me', dryRun: 'All' };
    const tried = await server.ask('PATCH', `${maps}/a`, { query, body, contentType });
    assert.deepEqual(at(tried.body, '/metadata/labels'), { by: 'policy' });
    assert.equal((await server.ask('GET', `${maps}/a`)).status, 404);
    const made = await server.ask('PATCH', `${maps}/a`, {
      ...{ query: { fieldManager: 'me' }, body, contentType },
    });
    assert.deepEqual(at(made.body, '/metadata/labels'), { by: 'policy' });
    assert.doesNotMatch(JSON.stringify(at(made.body, '/metadata/managedFields')), /f:by/);
  });

  it('changes custom resources by their schema', async () => {
    const clock = new VirtualClock();
    await using server = await openServer({ clock });
    const properties = {
      size: { type: 'integer' },
      tags: { type: 'array', items: { type: 'string' } },
      mode: { type: 'string', default: 'plain' },
    };
    const schema = {
      type: 'object',
      properties: { spec: { type: 'object', properties } },
    };
    const crd = {
      ...{ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' },
      metadata: { name: 'boxes.example.dev' },
      spec: {
        ...{ group: 'example.dev', scope: 'Namespaced', names: { plural: 'boxes', kind: 'Box' } },
        versions: [
          { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } },
        ],
      },
    };
    const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    const defined = await server.ask('POST', definitions, { body: crd });
    assert.equal(defined.status, 201, JSON.stringify(defined.body));
    await clock.advance(100);
    const resourceRules = [{ ...rule, apiGroups: ['example.dev'], resources: ['boxes'] }];
    const matchConstraints = { resourceRules };
    const sized = 'Object{spec: Object.spec{size: object.spec.size + 1}}';
    await policy(server, { matchConstraints, ...applied(sized) });
    await bind(server);
    const box = { apiVersion: 'example.dev/v1', kind: 'Box', metadata: { name: 'a' } };
    const boxes = '/apis/example.dev/v1/namespaces/default/boxes';
    const made = await server.ask('POST', boxes, { body: { ...box, spec: { size: 1 } } });
    assert.deepEqual(at(made.body, '/spec'), { size: 2, mode: 'plain' });
    const tagged = 'Object{spec: Object.spec{tags: ["a"], wrong: 1}}';
    await policy(server, { matchConstraints, ...applied(tagged) }, 'q');
    await bind(server, { policyName: 'q' }, 'c');
    const body = { ...box, metadata: { name: 'b' }, spec: { size: 1 } };
    const refused = await server.ask('POST', boxes, { body });
    const text = `policy 'q' with binding 'c' denied request: error applying patch: failed to convert patch object to typed object: .spec.wrong: field not declared in schema`;
    assert.equal(at(refused.body, '/message'), text);
  });
});

describe('a mutating policy that fails', () => {
  it('refuses the request with everything that is wrong', async () => {
    const mutations = applied('Object{data: {"a": object.data.none}}', labelled, 'Object{nope: 1}');
    await using server = await withPolicy(mutations);
    const { status, body } = await create(server, 'a', { data: { b: '1' } });
    const first = denied(
      `expression 'Object{data: {"a": object.data.none}}' resulted in error: no such key: none`,
    );
    const second = denied(
      'error applying patch: failed to convert patch object to typed object: .nope: field not declared in schema',
    );
    assert.equal(status, 403);
    assert.deepEqual(body, {
      ...{ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure' },
      ...{ message: first, reason: 'Invalid', code: 403 },
      details: {
        ...{ name: 'a', kind: 'configmaps' },
        causes: [{ message: first }, { message: second }],
      },
    });
    assert.equal((await server.ask('GET', `${maps}/a`)).status, 404);
  });

  it('lets its other mutations be where it is to be ignored', async () => {
    const mutations = applied('Object{nope: 1}', labelled);
    await using server = await withPolicy({ failurePolicy: 'Ignore', ...mutations });
    const { status, body } = await create(server);
    assert.equal(status, 201);
    assert.deepEqual(at(body, '/metadata/labels'), { by: 'policy' });
  });

  const template = 'Object.spec.template{spec: Object.spec.template.spec{containers: [';
  const rows = [
    [
      'Object{spec: Object.spec{selector: Object.spec.selector{matchLabels: {"a": "b"}}}}',
      'error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: .spec.selector',
    ],
    [
      `Object{spec: Object.spec{template: ${template}Object.spec.template.spec.containers{name: "main", args: ["-v"]}]}}}}`,
      'error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: .spec.template.spec.containers[0].args',
    ],
    [
      'Object{spec: Object.spec{replicas: "3"}}',
      'error applying patch: failed to convert patch object to typed object: .spec.replicas: expected numeric (int or float), got string',
    ],
    [
      'Object{spec: Object.metadata{}}',
      'type mismatch: unexpected type name "Object.metadata", expected "Object.spec", which matches field name path from root Object type',
    ],
  ] as const;
  for (const [expression, text] of rows) {
    it(`says ${text}`, async () => {
      await using server = await withPolicy(applied(expression));
      const { body } = await server.ask('POST', deployments, { body: deployment });
      assert.equal(at(body, '/message'), denied(text));
    });
  }

  it('says so whatever its failurePolicy is, where a patch leaves no object of the kind', async () => {
    const unknown = '[JSONPatch{op: "add", path: "/nope", value: 1}]';
    await using server = await withPolicy({ failurePolicy: 'Ignore', ...patched(unknown) });
    const { status, body } = await create(server);
    assert.equal(status, 500);
    const text = 'Internal error occurred: strict decoding error: unknown field "nope"';
    assert.equal(at(body, '/message'), text);
  });

  it('refuses where a patch leads nowhere', async () => {
    await using server = await withPolicy(patched('[JSONPatch{op: "remove", path: "/data/a"}]'));
    const { status, body } = await create(server);
    assert.equal(status, 403);
    const text =
      'JSON Patch: remove operation does not apply: doc is missing path: "/data/a": missing value';
    assert.equal(at(body, '/message'), denied(text));
  });

  it('is followed by the validation of the kind, and of validating policies', async () => {
    const bad = 'Object{metadata: Object.metadata{labels: {"by": "not a label"}}}';
    await using server = await withPolicy(applied(bad));
    const { status, body } = await create(server);
    assert.equal(status, 422);
    assert.match(String(at(body, '/message')), /metadata.labels: Invalid value: "not a label"/);
    await using checked = await withPolicy(applied(labelled));
    const validating = {
      ...{ apiVersion: api, kind: 'ValidatingAdmissionPolicy', metadata: { name: 'v' } },
      spec: {
        matchConstraints: { resourceRules: [rule] },
        validations: [{ expression: '!has(object.metadata.labels)' }],
      },
    };
    await checked.ask('POST', `/apis/${api}/validatingadmissionpolicies`, { body: validating });
    const binding = {
      ...{ apiVersion: api, kind: 'ValidatingAdmissionPolicyBinding', metadata: { name: 'v' } },
      spec: { policyName: 'v', validationActions: ['Deny'] },
    };
    await checked.ask('POST', `/apis/${api}/validatingadmissionpolicybindings`, { body: binding });
    assert.equal((await create(checked)).status, 422);
  });
});

describe('the params of a mutating policy', () => {
  const paramKind = { apiVersion: 'v1', kind: 'ConfigMap' };
  const mutations = patched(
    '[JSONPatch{op: "add", path: "/data", value: {"seen": (has(object.data) ? object.data.seen : "") + params.metadata.name}}]',
  );
  const matchConditions = [{ name: 'c', expression: '!has(object.metadata.labels)' }];
  const spec = { paramKind, matchConditions, ...mutations };
  const selector = { matchLabels: { params: 'yes' } };
  const labels = { params: 'yes' };

  it('are seen one after the other where they are selected', async () => {
    const paramRef = { selector, parameterNotFoundAction: 'Deny' };
    await using server = await withPolicy(spec, { paramRef });
    const none = denied(
      'failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction',
    );
    const { status, body } = await create(server);
    assert.deepEqual([status, at(body, '/reason')], [403, 'Forbidden']);
    assert.equal(at(body, '/message'), none);
    await server.ask('DELETE', `/apis/${api}/mutatingadmissionpolicybindings/b`);
    await create(server, 'x', { metadata: { name: 'x', labels } });
    await create(server, 'y', { metadata: { name: 'y', labels } });
    await bind(server, { paramRef });
    assert.equal(at((await create(server)).body, '/data/seen'), 'xy');
  });

  it('may be missing where that is allowed', async () => {
    const paramRef = { name: 'none', parameterNotFoundAction: 'Allow' };
    await using server = await withPolicy(spec, { paramRef });
    const { status, body } = await create(server);
    assert.deepEqual([status, at(body, '/data')], [201, undefined]);
  });

  it('refuse the request where nobody serves their kind', async () => {
    const unknown = { apiVersion: 'example.dev/v1', kind: 'Nope' };
    await using server = await withPolicy({ ...spec, paramKind: unknown });
    const { body } = await create(server);
    const problem = "failed to find resource referenced by paramKind: 'example.dev/v1, Kind=Nope'";
    assert.equal(
      at(body, '/message'),
      `policy "p" denied request: failed to configure policy: ${problem}`,
    );
  });

  it('must be readable for whoever names them', async () => {
    await using server = await openServer();
    const jane = await asPolicyWriter(server);
    const refused = await policy(jane, spec);
    assert.equal(
      at(refused.body, '/details/causes/0/message'),
      `Forbidden: ${shownWriter} must have "get" permission on all objects of the referenced paramKind (kind=ConfigMap, apiVersion=v1)`,
    );
    await policy(server, spec);
    const bound = await bind(jane, { paramRef: { selector, parameterNotFoundAction: 'Deny' } });
    assert.equal(
      at(bound.body, '/details/causes/0/message'),
      `Forbidden: ${shownWriter} does not have "list" permission on the object referenced by paramRef`,
    );
    assert.equal((await bind(jane)).status, 201);
  });
});

describe('the reinvocation of mutating policies', () => {
  const seen = (name: string): object =>
    applied(
      `Object{data: {"seen": (has(object.data) && has(object.data.seen) ? object.data.seen : "") + "${name}"}}`,
    );

  const rows = [
    ['Never', 'Never', 'ab'],
    ['IfNeeded', 'Never', 'aba'],
    ['IfNeeded', 'IfNeeded', 'abab'],
    ['Never', 'IfNeeded', 'abb'],
  ] as const;
  for (const [first, second, order] of rows) {
    it(`asks ${order} where they say ${first} and ${second}`, async () => {
      await using server = await openServer();
      await policy(server, { ...seen('a'), reinvocationPolicy: first }, 'a');
      await policy(server, { ...seen('b'), reinvocationPolicy: second }, 'b');
      await bind(server, { policyName: 'a' }, 'a');
      await bind(server, { policyName: 'b' }, 'b');
      assert.equal(at((await create(server)).body, '/data/seen'), order);
    });
  }

  it('asks those that were not asked before no second time', async () => {
    await using server = await openServer();
    const matchConditions = [{ name: 'c', expression: 'has(object.data)' }];
    const late = { matchConditions, ...seen('a'), reinvocationPolicy: 'IfNeeded' };
    await policy(server, late, 'a');
    await policy(server, seen('b'), 'b');
    await bind(server, { policyName: 'a' }, 'a');
    await bind(server, { policyName: 'b' }, 'b');
    assert.equal(at((await create(server)).body, '/data/seen'), 'b');
  });

  it('asks policies before webhooks, and again after those that changed something', async () => {
    await using server = await openHookedServer();
    const patch = [{ op: 'add', path: '/data/hook', value: '1' }];
    const text = Buffer.from(JSON.stringify(patch)).toString('base64');
    server.hooks.set('/hook', () => ({ allowed: true, patchType: 'JSONPatch', patch: text }));
    await server.configure('Mutating', 'hook', { reinvocationPolicy: 'IfNeeded' });
    const count = 'Object{data: {"keys": string(object.data.size())}}';
    await policy(server, { ...applied(count), reinvocationPolicy: 'IfNeeded' });
    await bind(server);
    const { body } = await create(server, 'a', { data: { a: '' } });
    assert.deepEqual(at(body, '/data'), { a: '', keys: '3', hook: '1' });
    const shown = server.asked.map(({ request }) => at(request.object, '/data/keys'));
    assert.deepEqual(shown, ['1', '3']);
  });
});

describe('mutating policies', () => {
  it('are not asked about policies and their bindings', async () => {
    await using server = await openServer();
    const everything = { ...rule, apiGroups: ['*'], apiVersions: ['*'], resources: ['*'] };
    const matchConstraints = { resourceRules: [everything] };
    await policy(server, { matchConstraints, ...applied('Object{nope: 1}') });
    await bind(server);
    assert.equal((await create(server)).status, 403);
    assert.equal((await policy(server, applied(labelled), 'q')).status, 201);
  });

  it('change a Scale, and through it the object', async () => {
    const resourceRules = [{ ...rule, resources: ['deployments/scale'] }];
    const capped = applied('Object{spec: Object.spec{replicas: 2}}');
    await using server = await withPolicy({ matchConstraints: { resourceRules }, ...capped });
    await server.ask('POST', deployments, { body: deployment });
    const contentType = 'application/merge-patch+json';
    const body = { spec: { replicas: 5 } };
    const scaled = await server.ask('PATCH', `${deployments}/web/scale`, { body, contentType });
    assert.equal(at(scaled.body, '/spec/replicas'), 2);
    const read = await server.ask('GET', `${deployments}/web`);
    assert.equal(at(read.body, '/spec/replicas'), 2);
  });

  it('see a kind in the version of their rules, and change it there', async () => {
    const path = '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers';
    const resources = ['horizontalpodautoscalers'];
    const resourceRules = [{ ...rule, apiGroups: ['autoscaling'], resources }];
    const sized = applied('Object{spec: Object.spec{targetCPUUtilizationPercentage: 77}}');
    await using server = await withPolicy({ matchConstraints: { resourceRules }, ...sized });
    const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
    const body = {
      ...{ apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler' },
      ...{ metadata: { name: 'h' }, spec: { scaleTargetRef, maxReplicas: 3 } },
    };
    const { body: made } = await server.ask('POST', path, { body });
    assert.equal(at(made, '/apiVersion'), 'autoscaling/v2');
    assert.equal(at(made, '/spec/metrics/0/resource/target/averageUtilization'), 77);
  });
});
