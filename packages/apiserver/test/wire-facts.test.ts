import assert from 'node:assert/strict';
import { test } from 'node:test';
import { at, textAt } from './at.ts';
import { openServer } from './opened-server.ts';

// What kube-apiserver 1.36.3 answered to the same requests.

const maps = '/api/v1/namespaces/default/configmaps';
const pods = '/api/v1/namespaces/default/pods';
const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { a: '1' } };
const json = 'application/json';
const partial = 'as=PartialObjectMetadata;v=v1;g=meta.k8s.io';

function service(spec: object): object {
  const ports = [{ port: 80 }];
  return { apiVersion: 'v1', kind: 'Service', metadata: { name: 's' }, spec: { ports, ...spec } };
}

function address(name: string, spec: object): object {
  return { apiVersion: 'networking.k8s.io/v1', kind: 'IPAddress', metadata: { name }, spec };
}

function pod(container: object, spec: object = {}): object {
  const containers = [{ name: 'c', image: 'x', ...container }];
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec: { ...spec, containers } };
}

interface Fact {
  readonly ask: readonly [method: string, path: string];
  readonly query?: Readonly<Record<string, string>>;
  readonly accept?: string;
  readonly contentType?: string;
  readonly body?: unknown;
  readonly code: number;
  readonly says?: string;
}

const noSuch = 'the server could not find the requested resource';
const noMethod = 'the server does not allow this method on the requested resource';
const noName = 'the name of the object (a based on URL) was undeterminable: name must be provided';
const merge = 'application/merge-patch+json';
const jsonPatch = 'application/json-patch+json';
const apply = { contentType: 'application/apply-patch+yaml', query: { fieldManager: 'm' } };

const facts: readonly Fact[] = [
  { ask: ['GET', '/api/v1/namespaces/default/nodes'], code: 404, says: noSuch },
  { ask: ['GET', '/api/v1/configmaps/a'], code: 404, says: noSuch },
  { ask: ['DELETE', '/api/v1/pods'], code: 405, says: noMethod },
  { ask: ['POST', '/api/v1/configmaps'], body: map, code: 405, says: noMethod },
  { ask: ['GET', '/api/v1//namespaces'], code: 404, says: noSuch },
  { ask: ['GET', '//api/v1/namespaces'], code: 404 },
  { ask: ['GET', '/api/v2'], code: 404, says: noSuch },
  { ask: ['GET', '/apis/apps/v9'], code: 404, says: noSuch },
  { ask: ['POST', '/api'], code: 405, says: noMethod },
  { ask: ['DELETE', '/version'], code: 405, says: noMethod },
  {
    ask: ['GET', maps],
    accept: `${json};${partial}`,
    code: 406,
    says: 'you requested PartialObjectMetadata, but the requested object is a list (*core.ConfigMapList)',
  },
  { ask: ['GET', `${maps}/a`], accept: 'application/*', code: 406 },
  {
    ask: ['POST', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews'],
    accept: `${json};as=Table;v=v1;g=meta.k8s.io`,
    body: { spec: { nonResourceAttributes: { path: '/', verb: 'get' } } },
    code: 406,
  },
  { ask: ['GET', maps], query: { labelSelector: 'a in ()' }, code: 200 },
  { ask: ['GET', maps], query: { watch: '1', resourceVersion: 'abc' }, code: 500 },
  { ask: ['GET', maps], query: { watch: '1', continue: 'abc' }, code: 422 },
  {
    ask: ['GET', '/api/v1/namespaces'],
    query: { fieldSelector: 'name=default' },
    code: 400,
    says: 'field label not supported: name',
  },
  {
    ask: ['POST', maps],
    body: Buffer.from('null'),
    code: 422,
    says: 'ConfigMap "" is invalid: metadata.name: Required value: name or generateName is required',
  },
  {
    ask: ['POST', maps],
    body: { apiVersion: 'v2', kind: 'ConfigMap' },
    code: 400,
    says:
      'ConfigMap in version "v2" cannot be handled as a ConfigMap: no kind "ConfigMap" is ' +
      'registered for version "v2" in scheme "pkg/runtime/scheme.go:111"',
  },
  { ask: ['PATCH', `${maps}/none`], contentType: merge, body: Buffer.from('{'), code: 404 },
  {
    ask: ['PATCH', `${maps}/a`],
    contentType: json,
    body: {},
    code: 415,
    says: '415: Unsupported Media Type',
  },
  {
    ask: ['PATCH', `${maps}/a`],
    contentType: merge,
    body: { metadata: { uid: 'z' } },
    code: 422,
    says: 'ConfigMap "a" is invalid: metadata.uid: Invalid value: "z": field is immutable',
  },
  {
    ask: ['PATCH', `${maps}/a`],
    contentType: merge,
    body: { metadata: null },
    code: 400,
    says: noName,
  },
  {
    ask: ['PATCH', `${maps}/a`],
    contentType: jsonPatch,
    body: [{ op: 'replace', path: '/data/b', value: '2' }],
    code: 200,
  },
  {
    ask: ['PATCH', `${maps}/a`],
    ...apply,
    body: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' } },
    code: 400,
    says: 'invalid object type: /v1, Kind=Pod',
  },
  {
    ask: ['PATCH', `${maps}/a`],
    ...apply,
    body: { ...map, metadata: { name: 'a', managedFields: [] } },
    code: 400,
    says: 'metadata.managedFields must be nil',
  },
  {
    ask: ['PATCH', `${maps}/a`],
    ...apply,
    body: { apiVersion: 'v1', kind: 'ConfigMap' },
    code: 200,
  },
  {
    ask: ['PUT', `${maps}/none`],
    body: map,
    code: 400,
    says: 'the name of the object (a) does not match the name on the URL (none)',
  },
  { ask: ['PUT', `${maps}/a`], body: { ...map, metadata: {} }, code: 400, says: noName },
  {
    ask: ['DELETE', `${maps}/a`],
    body: { gracePeriodSeconds: 'x' },
    code: 400,
    says:
      'json: cannot unmarshal string into Go struct field DeleteOptions.gracePeriodSeconds of ' +
      'type int64',
  },
  { ask: ['DELETE', `${maps}/a`], body: Buffer.from('[]'), code: 400 },
  ...['ConfigMap', 'Secret'].map((kind) => ({
    ask: ['POST', `/api/v1/namespaces/default/${kind.toLowerCase()}s`] as const,
    body: { apiVersion: 'v1', kind, metadata: { name: 'b' }, data: { '': 'YQ==' } },
    code: 422,
    says:
      `${kind} "b" is invalid: data[]: Invalid value: "": a valid config key must consist of ` +
      "alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', " +
      "regex used for validation is '[-._a-zA-Z0-9]+')",
  })),
  {
    ask: ['POST', pods],
    body: pod({ image: ' x' }),
    code: 422,
    says:
      'Pod "p" is invalid: spec.containers[0].image: Invalid value: " x": must not have leading ' +
      'or trailing whitespace',
  },
  {
    ask: ['POST', pods],
    body: pod({ resources: { limits: { 'a.b/c': '1.5' } } }),
    code: 422,
    says:
      'Pod "p" is invalid: [spec.containers[0].resources.limits[a.b/c]: Invalid value: "1500m": ' +
      'must be an integer, spec.containers[0].resources.requests[a.b/c]: Invalid value: "1500m": ' +
      'must be an integer]',
  },
  {
    ask: ['POST', pods],
    body: pod({}, { hostPID: true, shareProcessNamespace: true }),
    code: 422,
    says:
      'Pod "p" is invalid: spec.securityContext.shareProcessNamespace: Invalid value: true: ' +
      'ShareProcessNamespace and HostPID cannot both be enabled',
  },
  {
    ask: ['POST', '/apis/node.k8s.io/v1/runtimeclasses'],
    body: { apiVersion: 'node.k8s.io/v1', kind: 'RuntimeClass', metadata: { name: 'r' } },
    code: 422,
    says: 'RuntimeClass.node.k8s.io "r" is invalid: handler: Required value',
  },
  {
    ask: ['POST', '/apis/networking.k8s.io/v1/ipaddresses'],
    body: address('fe80::1', { parentRef: { resource: 'services', name: 'a' } }),
    code: 201,
  },
  {
    ask: ['POST', '/apis/networking.k8s.io/v1/ipaddresses'],
    body: address('x', {}),
    code: 422,
    says:
      'IPAddress.networking.k8s.io "x" is invalid: [metadata.name: Invalid value: "x": must be a ' +
      'valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff), spec.parentRef: Required value]',
  },
  {
    ask: ['POST', '/api/v1/namespaces/default/services'],
    body: service({ clusterIP: 'nope' }),
    code: 422,
    says:
      'Service "s" is invalid: spec.clusterIPs[0]: Invalid value: "nope": must be a valid IP ' +
      'address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
  },
  {
    ask: ['POST', '/api/v1/namespaces/default/services'],
    body: service({ ipFamilyPolicy: 'RequireDualStack' }),
    code: 422,
    says:
      'Service "s" is invalid: spec.ipFamilyPolicy: Invalid value: "RequireDualStack": this ' +
      'cluster is not configured for dual-stack services',
  },
];

for (const { ask, query = {}, accept, contentType, body, code, says } of facts) {
  const [method, path] = ask;
  const asked = [...Object.values(query), accept, contentType, body && JSON.stringify(body)];
  test(`${method} ${path} ${asked.filter((part) => part !== undefined).join(' ')}`, async () => {
    await using server = await openServer();
    await server.ask('POST', maps, { body: map });
    const headers = accept === undefined ? {} : { accept };
    const type = contentType === undefined ? {} : { contentType };
    const sent = body === undefined ? {} : { body };
    const answer = await server.ask(method, path, { query, headers, ...type, ...sent });
    assert.equal(answer.status, code, JSON.stringify(answer.body));
    if (says !== undefined) assert.equal(textAt(answer.body, '/message'), says);
  });
}

test('unknown fields of a builtin kind come before fields that come twice', async () => {
  await using server = await openServer();
  const text =
    '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"b"},"x":1,"data":{},"data":{}}';
  const query = { fieldValidation: 'Strict' };
  const { body } = await server.ask('POST', maps, { body: Buffer.from(text), query });
  assert.match(textAt(body, '/message'), /unknown field "x", duplicate field "data"$/);
});

test('who makes a Namespace owns its label of the name', async () => {
  await using server = await openServer();
  const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'n' } };
  const made = await server.ask('POST', '/api/v1/namespaces', { body });
  assert.deepEqual(at(made.body, '/metadata/managedFields/0/fieldsV1'), {
    'f:metadata': { 'f:labels': { '.': {}, 'f:kubernetes.io/metadata.name': {} } },
  });
});

test('a Scale of nothing says no number, and only a Scale is put there', async () => {
  await using server = await openServer();
  const sets = '/apis/apps/v1/namespaces/default/replicasets';
  const labels = { a: 'b' };
  const spec = {
    ...{ replicas: 0, selector: { matchLabels: labels } },
    template: { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'x' }] } },
  };
  const body = { apiVersion: 'apps/v1', kind: 'ReplicaSet', metadata: { name: 'r' }, spec };
  await server.ask('POST', sets, { body });
  const { body: scale } = await server.ask('GET', `${sets}/r/scale`);
  assert.deepEqual(at(scale, '/spec'), {});
  const put = await server.ask('PUT', `${sets}/r/scale`, {
    body: { apiVersion: 'v1', kind: 'Pod' },
  });
  assert.equal(put.status, 400);
  assert.match(textAt(put.body, '/message'), /converting \(v1.Pod\) to \(autoscaling.Scale\)/);
});

test('who deletes a Service is told what it was, and of a ConfigMap that it is gone', async () => {
  await using server = await openServer();
  const services = '/api/v1/namespaces/default/services';
  await server.ask('POST', services, { body: service({}) });
  await server.ask('POST', maps, { body: map });
  const told = await server.ask('DELETE', `${services}/s`);
  assert.equal(at(told.body, '/kind'), 'Service');
  const gone = await server.ask('DELETE', `${maps}/a`);
  assert.equal(at(gone.body, '/kind'), 'Status');
});

test('a Job that selects its Pods itself has to say so', async () => {
  await using server = await openServer();
  const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'x' }] } };
  const spec = { selector: { matchLabels: { a: 'b' } }, template };
  const body = { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'j' }, spec };
  const jobs = '/apis/batch/v1/namespaces/default/jobs';
  const { status, body: answer } = await server.ask('POST', jobs, { body });
  assert.equal(status, 422);
  assert.match(textAt(answer, '/message'), /`selector` not auto-generated/);
});
