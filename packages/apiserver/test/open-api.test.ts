import assert from 'node:assert/strict';
import { test } from 'node:test';
import { at, listAt, objectAt, textAt } from './at.ts';
import { openServer } from './opened-server.ts';

const gnostic = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';

test('OpenAPI v3 describes every builtin kind of a group, and all that it refers to', async () => {
  await using server = await openServer();
  const { body: index } = await server.ask('GET', '/openapi/v3');
  for (const path of Object.keys(objectAt(index, '/paths'))) {
    const { body } = await server.ask('GET', `/openapi/v3/${path}`);
    const known = new Set(Object.keys(objectAt(body, '/components/schemas')));
    const text = JSON.stringify(body);
    for (const [, name = ''] of text.matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
      assert.ok(known.has(name), `${path}: ${name}`);
    }
  }
  const { body: apps } = await server.ask('GET', '/openapi/v3/apis/apps/v1');
  const deployment = '/components/schemas/io.k8s.api.apps.v1.Deployment';
  assert.deepEqual(at(apps, `${deployment}/x-kubernetes-group-version-kind`), [
    { group: 'apps', kind: 'Deployment', version: 'v1' },
  ]);
  const spec = '/components/schemas/io.k8s.api.apps.v1.DeploymentSpec';
  assert.deepEqual(at(apps, `${spec}/required`), ['selector', 'template']);
  const pod = '/components/schemas/io.k8s.api.core.v1.PodSpec';
  const containers = objectAt(apps, `${pod}/properties/containers`);
  assert.equal(containers['x-kubernetes-list-type'], 'map');
  assert.deepEqual(containers['x-kubernetes-list-map-keys'], ['name']);
  assert.equal(containers['x-kubernetes-patch-merge-key'], 'name');
});

test('OpenAPI v3 documents are for good under their hash, and moved under another', async () => {
  await using server = await openServer();
  const { body: index } = await server.ask('GET', '/openapi/v3');
  const url = new URL(textAt(index, '/paths/apis~1apps~1v1/serverRelativeURL'), 'https://api');
  const query = Object.fromEntries(url.searchParams);
  const found = await server.ask('GET', url.pathname, { query });
  assert.equal(found.status, 200);
  assert.match(found.headers['cache-control'] ?? '', /^public, immutable/);
  assert.ok(Date.parse(found.headers.expires ?? '') > 0);
  assert.equal(found.headers.etag, `"${query.hash}"`);
  const moved = await server.ask('GET', url.pathname, { query: { hash: 'OLD' } });
  assert.equal(moved.status, 301);
  assert.equal(moved.headers.location, at(index, '/paths/apis~1apps~1v1/serverRelativeURL'));
  const headers = { 'if-none-match': found.headers.etag ?? '' };
  assert.equal((await server.ask('GET', url.pathname, { headers })).status, 304);
});

test('OpenAPI v2 has every kind and a PATCH with dryRun for it, in JSON and in protobuf', async () => {
  await using server = await openServer();
  const { body } = await server.ask('GET', '/openapi/v2');
  assert.equal(at(body, '/swagger'), '2.0');
  const text = JSON.stringify(body);
  const definitions = objectAt(body, '/definitions');
  for (const [, name = ''] of text.matchAll(/"#\/definitions\/([^"]+)"/g)) {
    assert.ok(Object.hasOwn(definitions, name), name);
  }
  const deployment = '/apis/apps/v1/namespaces/{namespace}/deployments/{name}';
  const patch = at(objectAt(body, '/paths')[deployment], '/patch');
  assert.ok(listAt(patch, '/parameters').some((item) => at(item, '/name') === 'dryRun'));
  assert.ok(listAt(patch, '/consumes').includes('application/strategic-merge-patch+json'));
  const binary = await server.ask('GET', '/openapi/v2', { headers: { accept: gnostic } });
  // Go cannot parse a type with "@" in it, so the one that was asked for is not the answer.
  const type = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';
  assert.equal(binary.headers['content-type'], type);
  assert(binary.body instanceof Uint8Array && binary.body.length > 100_000);
});

test('OpenAPI v2 is built anew when a definition comes', async () => {
  await using server = await openServer();
  const before = await server.ask('GET', '/openapi/v2');
  const schema = { openAPIV3Schema: { type: 'object' } };
  const version = { name: 'v1', served: true, storage: true, schema };
  const names = { plural: 'widgets', kind: 'Widget' };
  const spec = { group: 'example.com', scope: 'Namespaced', names, versions: [version] };
  await server.ask('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
    body: { metadata: { name: 'widgets.example.com' }, spec },
  });
  for (;;) {
    const { headers, body } = await server.ask('GET', '/openapi/v2');
    if (headers.etag === before.headers.etag) {
      await new Promise((resolve) => setImmediate(resolve));
      continue;
    }
    const item = '/apis/example.com/v1/namespaces/{namespace}/widgets/{name}';
    const consumes = listAt(objectAt(body, '/paths')[item], '/patch/consumes');
    assert.ok(!consumes.includes('application/strategic-merge-patch+json'));
    break;
  }
});
