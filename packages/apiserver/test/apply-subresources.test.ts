import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { at, listAt, objectAt } from './at.ts';
import { type Answer, type OpenedServer, openServer } from './opened-server.ts';

const deployments = '/apis/apps/v1/namespaces/default/deployments';
const labels = { app: 'web' };
const deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web' },
  spec: {
    replicas: 1,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } },
  },
};

function apply(
  server: OpenedServer,
  path: string,
  { body, query }: { readonly body: object; readonly query: Readonly<Record<string, string>> },
): Promise<Answer> {
  const contentType = 'application/apply-patch+yaml';
  return server.ask('PATCH', path, { body, contentType, query });
}

const scale = (replicas?: number): object => ({
  apiVersion: 'autoscaling/v1',
  kind: 'Scale',
  metadata: { name: 'web' },
  ...(replicas === undefined ? {} : { spec: { replicas } }),
});

/** Manager, operation and subresource of whoever owns spec.replicas. */
async function owners(server: OpenedServer): Promise<readonly string[]> {
  const answer = await server.ask('GET', `${deployments}/web`);
  return listAt(answer.body, '/metadata/managedFields')
    .filter((entry) => at(entry, '/fieldsV1/f:spec/f:replicas') !== undefined)
    .map((entry) =>
      ['manager', 'operation', 'subresource']
        .map((field) => at(entry, `/${field}`) ?? '')
        .join(' '),
    );
}

describe('apply on /scale', () => {
  it('owns the replicas through the subresource, and nothing else', async () => {
    await using server = await openServer();
    await apply(server, `${deployments}/web`, {
      body: deployment,
      query: {
        fieldManager: 'gitops',
        force: 'true',
      },
    });
    const refused = await apply(server, `${deployments}/web/scale`, {
      body: scale(5),
      query: {
        fieldManager: 'hpa',
      },
    });
    assert.equal(refused.status, 409);
    assert.match(String(at(refused.body, '/message')), /conflict with "gitops": \.spec\.replicas/);

    const forced = { fieldManager: 'hpa', force: 'true' };
    const scaled = await apply(server, `${deployments}/web/scale`, {
      body: scale(5),
      query: forced,
    });
    assert.equal(scaled.status, 200);
    assert.deepEqual([at(scaled.body, '/kind'), at(scaled.body, '/spec/replicas')], ['Scale', 5]);
    assert.deepEqual(await owners(server), ['hpa Apply scale']);

    // Who gives the field up leaves it to its new owner.
    const { replicas: _, ...spec } = deployment.spec;
    const without = { ...deployment, spec };
    await apply(server, `${deployments}/web`, { body: without, query: { fieldManager: 'gitops' } });
    const read = await server.ask('GET', `${deployments}/web/scale`);
    assert.equal(at(read.body, '/spec/replicas'), 5);
  });

  it('changes nothing when it states what is there', async () => {
    await using server = await openServer();
    await server.ask('POST', deployments, { body: deployment });
    const query = { fieldManager: 'hpa', force: 'true' };
    const first = await apply(server, `${deployments}/web/scale`, { body: scale(2), query: query });
    const second = await apply(server, `${deployments}/web/scale`, {
      body: scale(2),
      query: query,
    });
    const version = '/metadata/resourceVersion';
    assert.equal(at(second.body, version), at(first.body, version));
  });

  const cases: readonly (readonly [string, object, Record<string, string>, number, RegExp])[] = [
    ['without a manager', scale(1), {}, 422, /fieldManager: Required value/],
    ['of another kind', deployment, { fieldManager: 'm' }, 400, /invalid object type: apps\/v1/],
    [
      'of another name',
      { ...scale(1), metadata: { name: 'x' } },
      { fieldManager: 'm' },
      400,
      /name/,
    ],
    [
      'below zero',
      scale(-1),
      { fieldManager: 'm', force: 'true' },
      422,
      /greater than or equal to 0/,
    ],
    [
      'with managed fields',
      { ...scale(1), metadata: { name: 'web', managedFields: [{}] } },
      { fieldManager: 'm' },
      400,
      /metadata.managedFields must be nil/,
    ],
  ];
  for (const [name, body, query, status, message] of cases) {
    it(`is refused ${name}`, async () => {
      await using server = await openServer();
      await server.ask('POST', deployments, { body: deployment });
      const answer = await apply(server, `${deployments}/web/scale`, { body: body, query: query });
      assert.equal(answer.status, status);
      assert.match(String(at(answer.body, '/message')), message);
    });
  }

  it('finds nothing to scale where no object is', async () => {
    await using server = await openServer();
    const answer = await apply(server, `${deployments}/web/scale`, {
      body: scale(1),
      query: { fieldManager: 'm' },
    });
    assert.equal(answer.status, 404);
  });
});

describe('apply on /status', () => {
  it('owns status fields through the subresource, and never the spec', async () => {
    await using server = await openServer();
    await server.ask('POST', deployments, { body: deployment });
    const status = { ...deployment, status: { observedGeneration: 1, replicas: 1 } };
    const query = { fieldManager: 'controller' };
    const answer = await apply(server, `${deployments}/web/status`, { body: status, query: query });
    assert.equal(answer.status, 200);
    const entries = listAt(answer.body, '/metadata/managedFields');
    const own = entries.find((entry) => at(entry, '/manager') === 'controller');
    assert.equal(at(own, '/subresource'), 'status');
    assert.deepEqual(Object.keys(objectAt(own, '/fieldsV1')), ['f:status']);
  });
});

describe('managedFields', () => {
  it('are begun anew when they are emptied', async () => {
    await using server = await openServer();
    await apply(server, `${deployments}/web`, {
      body: deployment,
      query: { fieldManager: 'gitops' },
    });
    const body = { metadata: { managedFields: [{}] } };
    const contentType = 'application/merge-patch+json';
    const answer = await server.ask('PATCH', `${deployments}/web`, { body, contentType });
    assert.equal(answer.status, 200);
    assert.equal(at(answer.body, '/metadata/managedFields'), undefined);
  });

  it('move from client-side to server-side apply as kubectl asks for it', async () => {
    await using server = await openServer();
    const query = { fieldManager: 'kubectl-client-side-apply' };
    const created = await server.ask('POST', deployments, { body: deployment, query });
    const entries = listAt(created.body, '/metadata/managedFields');
    const migrated = entries.map((entry) => ({
      ...objectAt(entry, ''),
      manager: 'kubectl',
      operation: 'Apply',
    }));
    const resourceVersion = at(created.body, '/metadata/resourceVersion');
    const patch = (version: unknown): object[] => [
      { op: 'replace', path: '/metadata/managedFields', value: migrated },
      { op: 'replace', path: '/metadata/resourceVersion', value: version },
    ];
    const contentType = 'application/json-patch+json';
    const send = (version: unknown): Promise<Answer> =>
      server.ask('PATCH', `${deployments}/web`, { body: patch(version), contentType });
    assert.equal((await send('1')).status, 409);
    assert.equal((await send(resourceVersion)).status, 200);
    assert.deepEqual(await owners(server), ['kubectl Apply ']);
    const { replicas: _, ...spec } = deployment.spec;
    const without = { ...deployment, spec };
    const applied = await apply(server, `${deployments}/web`, {
      body: without,
      query: { fieldManager: 'kubectl' },
    });
    assert.equal(applied.status, 200);
    assert.deepEqual(await owners(server), []);
  });
});
