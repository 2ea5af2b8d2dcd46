import assert from 'node:assert/strict';
import { test } from 'node:test';
import { builtinKinds } from '../src/builtins/facts/builtin-kinds.ts';
import { at, listAt, objectAt, textAt } from './at.ts';
import { openServer } from './opened-server.ts';

const claims = '/api/v1/namespaces/default/replicationcontrollers';

const controller = {
  apiVersion: 'v1',
  kind: 'ReplicationController',
  metadata: { name: 'web' },
  spec: {
    replicas: 2,
    selector: { app: 'web' },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: { containers: [{ name: 'a', image: 'a', ports: [{ containerPort: 80 }] }] },
    },
  },
};

const { template } = controller.spec;
const podTemplate = { apiVersion: 'v1', kind: 'PodTemplate', metadata: { name: 'web' }, template };

test('a kind without rules of its own is created as its type says', async () => {
  await using server = await openServer();
  const { status, body, headers } = await server.ask(
    'POST',
    '/api/v1/namespaces/default/podtemplates',
    { body: { ...podTemplate, template: { ...template, zz: 1 } } },
  );
  assert.equal(status, 201);
  assert.equal(headers.warning, '299 - "unknown field \\"template.zz\\""');
  assert.equal(at(body, '/metadata/generation'), 1);
  const container = objectAt(body, '/template/spec/containers/0');
  assert.deepEqual(container.ports, [{ containerPort: 80, protocol: 'TCP' }]);
  assert.deepEqual(container.resources, {});
});

test('a kind without rules of its own refuses what its type does not allow', async () => {
  await using server = await openServer();
  const spec = { ...controller.spec, replicas: 'two' };
  const { status, body } = await server.ask('POST', claims, { body: { ...controller, spec } });
  assert.equal(status, 400);
  const text = 'cannot unmarshal string into Go struct field';
  const field = 'ReplicationControllerSpec.spec.replicas of type int32';
  const kind = 'ReplicationController in version "v1" cannot be handled as a ReplicationController';
  assert.equal(at(body, '/message'), `${kind}: json: ${text} ${field}`);
});

test('a builtin kind has status, scale and merge keys by its facts', async () => {
  await using server = await openServer();
  await server.ask('POST', claims, { body: controller });
  const image = { spec: { template: { spec: { containers: [{ name: 'a', image: 'b' }] } } } };
  const patched = await server.ask('PATCH', `${claims}/web`, {
    body: image,
    contentType: 'application/strategic-merge-patch+json',
  });
  assert.equal(listAt(patched.body, '/spec/template/spec/containers').length, 1);
  assert.equal(at(patched.body, '/spec/template/spec/containers/0/image'), 'b');
  await server.ask('PATCH', `${claims}/web/status`, {
    body: { status: { replicas: 1 }, spec: { replicas: 9 } },
    contentType: 'application/merge-patch+json',
  });
  const scale = await server.ask('GET', `${claims}/web/scale`);
  assert.deepEqual(at(scale.body, '/spec'), { replicas: 2 });
  assert.deepEqual(at(scale.body, '/status'), { replicas: 1, selector: 'app=web' });
});

test('a kind without rules of its own has the columns of every object', async () => {
  await using server = await openServer();
  const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
  const table = await server.ask('GET', '/api/v1/podtemplates', { headers: { accept } });
  const names = listAt(table.body, '/columnDefinitions').map((item) => at(item, '/name'));
  assert.deepEqual(names, ['Name', 'Age']);
});

test('server-side apply of a builtin kind goes by the keys of its lists', async () => {
  await using server = await openServer();
  const path = `${claims}/web`;
  const apply = (manager: string, ports: readonly object[]) => {
    const containers = [{ name: 'a', image: 'a', ports }];
    const metadata = { labels: { app: 'web' } };
    const spec = { selector: { app: 'web' }, template: { metadata, spec: { containers } } };
    return server.ask('PATCH', path, {
      query: { fieldManager: manager },
      contentType: 'application/apply-patch+yaml',
      body: { ...controller, spec },
    });
  };
  assert.equal((await apply('one', [{ containerPort: 80, name: 'x' }])).status, 201);
  const second = await apply('two', [{ containerPort: 81 }]);
  assert.deepEqual(at(second.body, '/spec/template/spec/containers/0/ports'), [
    { containerPort: 80, name: 'x', protocol: 'TCP' },
    { containerPort: 81, protocol: 'TCP' },
  ]);
  const third = await apply('two', [{ containerPort: 80, name: 'y' }]);
  assert.equal(third.status, 409);
  const key = 'containerPort=80,protocol="TCP"';
  const field = `.spec.template.spec.containers[name="a"].ports[${key}].name`;
  assert.equal(at(third.body, '/details/causes/0/field'), field);
});

test('server-side apply refuses what the Go type does not allow', async () => {
  await using server = await openServer();
  const apply = (spec: object) =>
    server.ask('PATCH', '/apis/resource.k8s.io/v1/deviceclasses/d', {
      query: { fieldManager: 'one' },
      contentType: 'application/apply-patch+yaml',
      body: {
        apiVersion: 'resource.k8s.io/v1',
        kind: 'DeviceClass',
        metadata: { name: 'd' },
        spec,
      },
    });
  const wrong = await apply({ selectors: 'none' });
  assert.ok(wrong.status >= 400, JSON.stringify(wrong.body));
  const mistyped = await apply({ extendedResourceName: 5 });
  assert.equal(mistyped.status, 500);
  const message = textAt(mistyped.body, '/message');
  assert.match(message, /\.spec\.extendedResourceName: expected string, got /);
  const unknown = await apply({ zz: 1 });
  assert.ok(unknown.status >= 400);
  assert.match(textAt(unknown.body, '/message'), /field not declared in schema/);
  assert.equal((await apply({ extendedResourceName: 'a.com/b' })).status, 201);
});

test('server-side apply writes quantities as Go does, so that the same again changes nothing', async () => {
  await using server = await openServer();
  const apply = (cpu: string) =>
    server.ask('PATCH', `${claims}/web`, {
      query: { fieldManager: 'one' },
      contentType: 'application/apply-patch+yaml',
      body: {
        ...controller,
        spec: {
          ...controller.spec,
          template: {
            metadata: { labels: { app: 'web' } },
            spec: { containers: [{ name: 'a', image: 'a', resources: { limits: { cpu } } }] },
          },
        },
      },
    });
  const first = await apply('1000m');
  assert.equal(at(first.body, '/spec/template/spec/containers/0/resources/limits/cpu'), '1');
  const again = await apply('1000m');
  assert.equal(
    at(again.body, '/metadata/resourceVersion'),
    at(first.body, '/metadata/resourceVersion'),
  );
});

test('every builtin kind that is stored can be listed, and discovery tells of it', async () => {
  await using server = await openServer();
  for (const { group, version, plural, verbs, subresources = [] } of builtinKinds) {
    if (verbs !== undefined && !verbs.includes('list')) continue;
    const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
    const { body } = await server.ask('GET', root);
    const names = listAt(body, '/resources').map((item) => at(item, '/name'));
    for (const name of subresources) assert.ok(names.includes(`${plural}/${name}`), plural);
    assert.ok(names.includes(plural), plural);
    assert.equal((await server.ask('GET', `${root}/${plural}`)).status, 200, plural);
  }
});

test('a status takes annotations along and nothing else, and asks for nothing', async () => {
  await using server = await openServer();
  const deployments = '/apis/apps/v1/namespaces/default/deployments';
  const { replicas } = controller.spec;
  const selector = { matchLabels: { app: 'web' } };
  const spec = { replicas, selector, template };
  const body = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web' }, spec };
  assert.equal((await server.ask('POST', deployments, { body })).status, 201);
  const contentType = 'application/merge-patch+json';
  const annotate = (path: string, value: string) =>
    server.ask('PATCH', path, {
      contentType,
      body: {
        metadata: { annotations: { note: value }, labels: { l: 'v' } },
        spec: { replicas: 9 },
        status: { replicas: 1 },
      },
    });
  const { body: found } = await annotate(`${deployments}/web/status`, 'a');
  assert.equal(at(found, '/metadata/annotations/note'), 'a');
  assert.equal(at(found, '/metadata/labels'), undefined);
  assert.equal(at(found, '/metadata/generation'), 1);
  assert.equal(at(found, '/spec/replicas'), replicas);
  assert.equal(at(found, '/status/replicas'), 1);
});
