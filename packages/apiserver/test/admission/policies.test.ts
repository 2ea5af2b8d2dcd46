import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { at } from '../at.ts';
import { type Answer, type OpenedServer, openServer } from '../opened-server.ts';
import { openHookedServer } from './hooked-server.ts';
import { asPolicyWriter, shownWriter } from './policy-writer.ts';

// The texts are those of kube-apiserver 1.36.3, beside which each of these requests was sent.

const api = 'admissionregistration.k8s.io/v1';
const maps = '/api/v1/namespaces/default/configmaps';

const allOfMaps = {
  ...{ apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] },
  operations: ['CREATE', 'UPDATE', 'DELETE'],
};

function policy({ ask }: OpenedServer, spec: object, name = 'p'): Promise<Answer> {
  const head = { apiVersion: api, kind: 'ValidatingAdmissionPolicy', metadata: { name } };
  const matchConstraints = { resourceRules: [allOfMaps] };
  const body = { ...head, spec: { matchConstraints, ...spec } };
  return ask('POST', `/apis/${api}/validatingadmissionpolicies`, { body });
}

function bind({ ask }: OpenedServer, spec: object = {}, name = 'b'): Promise<Answer> {
  const head = { apiVersion: api, kind: 'ValidatingAdmissionPolicyBinding', metadata: { name } };
  const body = { ...head, spec: { policyName: 'p', validationActions: ['Deny'], ...spec } };
  return ask('POST', `/apis/${api}/validatingadmissionpolicybindings`, { body });
}

function create({ ask }: OpenedServer, name: string, data: object = {}): Promise<Answer> {
  const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data };
  return ask('POST', maps, { body });
}

/** Creates one with labels. */
function label({ ask }: OpenedServer, name: string, rest: object): Promise<Answer> {
  const { labels, data } = { labels: {}, data: {}, ...rest };
  const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, labels }, data };
  return ask('POST', maps, { body });
}

const one = (expression: string, rest: object = {}): object => ({
  validations: [{ expression, ...rest }],
});

/** A server with one policy that is bound. */
async function withPolicy(spec: object, binding: object = {}): Promise<OpenedServer> {
  const server = await openServer();
  assert.equal((await policy(server, spec)).status, 201);
  assert.equal((await bind(server, binding)).status, 201);
  return server;
}

const denied = "ValidatingAdmissionPolicy 'p' with binding 'b' denied request:";

describe('a policy', () => {
  it('counts from the answer to its binding on, and no longer than that', async () => {
    await using server = await openServer();
    await policy(server, one('object.data.a == "1"'));
    assert.equal((await create(server, 'unbound', { a: '2' })).status, 201);
    await bind(server);
    const { status, body } = await create(server, 'a', { a: '2' });
    const text = `${denied} failed expression: object.data.a == "1"`;
    assert.equal(status, 422);
    assert.deepEqual(body, {
      ...{ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure' },
      ...{ message: `configmaps "a" is forbidden: ${text}`, reason: 'Invalid', code: 422 },
      details: { name: 'a', kind: 'configmaps', causes: [{ message: text }] },
    });
    assert.equal((await create(server, 'a', { a: '1' })).status, 201);
    const patched = await server.ask('PATCH', `${maps}/a`, {
      body: { data: { a: '3' } },
      contentType: 'application/merge-patch+json',
    });
    assert.equal(patched.status, 422);
    assert.equal((await server.ask('DELETE', `${maps}/a`)).status, 422);
    await server.ask('DELETE', `/apis/${api}/validatingadmissionpolicybindings/b`);
    assert.equal((await server.ask('DELETE', `${maps}/a`)).status, 200);
  });

  const messages: readonly (readonly [object, object, string])[] = [
    [{ message: ' hello ' }, {}, 'hello'],
    [{ messageExpression: "'m: ' + object.data.m", message: 'else' }, { m: 'hi' }, 'm: hi'],
    [{ messageExpression: "'m: ' + object.data.m", message: 'else' }, {}, 'else'],
    [{ messageExpression: "'m: ' + object.data.m", message: 'else' }, { m: 'two\nlines' }, 'else'],
    [{ messageExpression: "' '" }, {}, 'failed expression: false'],
  ];
  for (const [rest, data, text] of messages) {
    it(`says ${text} for ${JSON.stringify([rest, data])}`, async () => {
      await using server = await withPolicy(one('false', rest));
      const { body } = await create(server, 'a', data);
      assert.equal(at(body, '/details/causes/0/message'), `${denied} ${text}`);
    });
  }

  for (const [reason, code] of [
    ['Forbidden', 403],
    ['Invalid', 422],
    ['RequestEntityTooLarge', 413],
  ] as const) {
    it(`refuses with ${reason}`, async () => {
      await using server = await withPolicy(one('false', { reason }));
      const { status, body } = await create(server, 'a');
      assert.deepEqual([status, at(body, '/reason')], [code, reason]);
    });
  }

  it('warns, or says nothing, where it is not to deny', async () => {
    await using server = await withPolicy(one('false'), { validationActions: ['Warn', 'Audit'] });
    const { status, headers } = await create(server, 'a');
    const text = "Validation failed for ValidatingAdmissionPolicy 'p' with binding 'b'";
    assert.equal(status, 201);
    assert.equal(headers.warning, `299 - "${text}: failed expression: false"`);
  });

  it('without a value refuses, unless it is to be ignored', async () => {
    await using failing = await withPolicy(one('object.none.at == 1'));
    const { body } = await create(failing, 'a');
    const text = "expression 'object.none.at == 1' resulted in error: no such key: none";
    assert.equal(at(body, '/details/causes/0/message'), `${denied} ${text}`);
    const validations = [{ expression: 'object.none.at == 1' }, { expression: 'has(object.data)' }];
    await using ignoring = await withPolicy({ failurePolicy: 'Ignore', validations });
    assert.equal((await create(ignoring, 'a', { a: '1' })).status, 201);
    // What has a value counts all the same.
    const refused = await ignoring.ask('POST', maps, {
      body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'b' } },
    });
    assert.equal(refused.status, 422);
  });

  it('is not asked where its conditions are unmet', async () => {
    const matchConditions = [
      { name: 'named', expression: 'object.metadata.name != "skip"' },
      { name: 'marked', expression: 'object.data.q == "1"' },
    ];
    await using server = await withPolicy({ matchConditions, ...one('false') });
    assert.equal((await create(server, 'skip')).status, 201);
    assert.equal((await create(server, 'a', { q: '2' })).status, 201);
    assert.equal((await create(server, 'b', { q: '1' })).status, 422);
    const { body } = await create(server, 'c');
    const text = `expression 'object.data.q == "1"' resulted in error: no such key: data`;
    assert.equal(at(body, '/details/causes/0/message'), `${denied} ${text}`);
  });

  it('knows the request, its namespace and what its user may do', async () => {
    const validations = [
      'request.operation in ["CREATE", "DELETE"]',
      'request.userInfo.username == "admin"',
      'request.namespace == "default"',
      'request.kind.kind == "ConfigMap" && request.resource.resource == "configmaps"',
      'namespaceObject.metadata.name == "default"',
      'authorizer.requestResource.check("create").allowed()',
      '!authorizer.serviceAccount("default", "x").group("").resource("pods").check("get").allowed()',
    ].map((expression) => ({ expression }));
    await using server = await withPolicy({ validations });
    assert.deepEqual((await create(server, 'a')).status, 201);
    const changed = await server.ask('PUT', `${maps}/a`, {
      body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { a: '1' } },
    });
    assert.match(String(at(changed.body, '/message')), /failed expression: request.operation in/);
  });

  it('is about what its constraints say', async () => {
    const matchConstraints = {
      resourceRules: [{ ...allOfMaps, resources: ['*'], resourceNames: ['a', 'b'] }],
      excludeResourceRules: [{ ...allOfMaps, resources: ['secrets'] }],
      objectSelector: { matchLabels: { x: 'y' } },
    };
    await using server = await withPolicy({ matchConstraints, ...one('false') });
    assert.equal((await create(server, 'a')).status, 201);
    assert.equal((await label(server, 'b', { labels: { x: 'y' } })).status, 422);
    assert.equal((await label(server, 'c', { labels: { x: 'y' } })).status, 201);
    const secret = { apiVersion: 'v1', kind: 'Secret' };
    const metadata = { name: 'a', labels: { x: 'y' } };
    const made = await server.ask('POST', '/api/v1/namespaces/default/secrets', {
      body: { ...secret, metadata },
    });
    assert.equal(made.status, 201);
  });

  it('counts for those requests of its that a binding is about', async () => {
    const matchResources = { objectSelector: { matchLabels: { x: 'y' } } };
    await using server = await withPolicy(one('false'), { matchResources });
    assert.equal((await create(server, 'a')).status, 201);
    assert.equal((await label(server, 'b', { labels: { x: 'y' } })).status, 422);
  });

  it('stops what takes too long', async () => {
    const costly = 'object.data.all(k, object.data.all(l, object.data.all(m, k + l + m != "")))';
    await using server = await withPolicy(one(costly));
    const data = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`k${i}`, 'v']));
    const { status, body } = await create(server, 'a', data);
    assert.equal(status, 422);
    assert.match(String(at(body, '/message')), /actual cost limit exceeded$/);
  });

  it('comes before webhooks, and is never asked about policies', async () => {
    await using server = await openHookedServer();
    server.hooks.set('/late', () => ({ allowed: true }));
    await server.configure('Validating', 'late');
    const everything = { apiGroups: ['*'], apiVersions: ['*'], operations: ['*'] };
    const matchConstraints = { resourceRules: [{ ...everything, resources: ['*'] }] };
    await policy(server, { matchConstraints, ...one('false') });
    await bind(server);
    assert.equal((await create(server, 'a')).status, 422);
    assert.equal(server.asked.length, 0);
    const gone = await server.ask('DELETE', `/apis/${api}/validatingadmissionpolicies/p`);
    assert.equal(gone.status, 200);
  });
});

describe('what configures a policy', () => {
  const paramKind = { apiVersion: 'v1', kind: 'ConfigMap' };
  const secrets = '/api/v1/namespaces/default/secrets';
  const matchConstraints = { resourceRules: [{ ...allOfMaps, resources: ['secrets'] }] };
  const spec = { paramKind, matchConstraints, ...one('params.data.type == object.type') };
  const write = ({ ask }: OpenedServer, name: string, type: string): Promise<Answer> =>
    ask('POST', secrets, { body: { apiVersion: 'v1', kind: 'Secret', metadata: { name }, type } });

  it('is looked for by name, where the request is, and needed unless it may be missing', async () => {
    const paramRef = { name: 'c', parameterNotFoundAction: 'Deny' };
    await using server = await withPolicy(spec, { paramRef });
    const { body } = await write(server, 's', 'x/y');
    const text =
      'failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction';
    assert.equal(at(body, '/details/causes/0/message'), `${denied} ${text}`);
    await create(server, 'c', { type: 'x/y' });
    assert.equal((await write(server, 's', 'x/y')).status, 201);
    assert.equal((await write(server, 't', 'x/z')).status, 422);
    await using lenient = await withPolicy(spec, {
      paramRef: { ...paramRef, parameterNotFoundAction: 'Allow' },
    });
    assert.equal((await write(lenient, 's', 'x/y')).status, 201);
  });

  it('is everything that a selector finds', async () => {
    const selector = { matchLabels: { of: 'p' } };
    const paramRef = { selector, parameterNotFoundAction: 'Deny' };
    await using server = await withPolicy(spec, { paramRef });
    await label(server, 'one', { data: { type: 'x/y' }, labels: { of: 'p' } });
    await create(server, 'other', { type: 'x/z' });
    assert.equal((await write(server, 's', 'x/y')).status, 201);
    await label(server, 'two', { data: { type: 'x/z' }, labels: { of: 'p' } });
    assert.equal((await write(server, 't', 'x/y')).status, 422);
  });

  it('of a kind that is not there, or elsewhere than it can be, is told', async () => {
    const nope = { apiVersion: 'nope.dev/v1', kind: 'Nope' };
    const paramRef = { name: 'x', parameterNotFoundAction: 'Allow' };
    await using server = await withPolicy({ paramKind: nope, ...one('true') }, { paramRef });
    const { body } = await create(server, 'a');
    const text = "failed to find resource referenced by paramKind: 'nope.dev/v1, Kind=Nope'";
    assert.equal(
      at(body, '/details/causes/0/message'),
      `ValidatingAdmissionPolicy 'p' denied request: failed to configure policy: ${text}`,
    );
    const namespaces = [{ ...allOfMaps, resources: ['nodes'] }];
    await using cluster = await withPolicy(
      { paramKind, matchConstraints: { resourceRules: namespaces }, ...one('true') },
      { paramRef },
    );
    const node = await cluster.ask('POST', '/api/v1/nodes', {
      body: { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' } },
    });
    assert.match(String(at(node.body, '/message')), /cannot use namespaced paramRef in policy/);
  });

  it('must be readable for whoever names it', async () => {
    await using server = await openServer();
    const jane = await asPolicyWriter(server);
    const { status, body } = await policy(jane, spec);
    assert.equal(status, 422);
    assert.equal(
      at(body, '/details/causes/0/message'),
      `Forbidden: ${shownWriter} must have "get" permission on all objects of the referenced paramKind (kind=ConfigMap, apiVersion=v1)`,
    );
    await policy(server, spec);
    const paramRef = { name: 'c', namespace: 'default', parameterNotFoundAction: 'Deny' };
    const bound = await bind(jane, { paramRef });
    assert.equal(
      at(bound.body, '/details/causes/0/message'),
      `Forbidden: ${shownWriter} does not have "get" permission on the object referenced by paramRef`,
    );
    assert.equal((await bind(jane)).status, 201);
  });
});
