import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { VirtualClock } from '@fnlet/base';
import { openMemoryStore } from '@fnlet/store';
import { at, listAt, textAt } from './at.ts';
import { type OpenedServer, openServer } from './opened-server.ts';

const inside = (namespace: string, plural: string): string =>
  `/api/v1/namespaces/${namespace}/${plural}`;

/** Waits until `look` gives something true; fails after two seconds. */
async function until(what: string, look: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    if (await look()) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  assert.fail(`did not happen: ${what}`);
}

const isGone = (server: OpenedServer, path: string) => async (): Promise<boolean> =>
  (await server.ask('GET', path)).status === 404;

const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'things.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'things', kind: 'Thing' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        },
      },
    ],
  },
};
const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const things = '/apis/example.com/v1/namespaces/default/things';

describe('a server', () => {
  it('furnishes its namespaces', async () => {
    await using server = await openServer({ caPem: 'PEM' });
    for (const namespace of ['default', 'kube-system', 'kube-public', 'kube-node-lease']) {
      const account = await server.ask('GET', `${inside(namespace, 'serviceaccounts')}/default`);
      assert.equal(account.status, 200, namespace);
      const ca = await server.ask('GET', `${inside(namespace, 'configmaps')}/kube-root-ca.crt`);
      assert.equal(at(ca.body, '/data/ca.crt'), 'PEM');
    }
  });

  it('makes what belongs into a namespace again when it is deleted', async () => {
    await using server = await openServer({ caPem: 'PEM' });
    for (const path of ['serviceaccounts/default', 'configmaps/kube-root-ca.crt']) {
      const url = inside('default', path);
      const { body: before } = await server.ask('GET', url);
      assert.equal((await server.ask('DELETE', url)).status, 200);
      await until(`${path} made again`, async () => {
        const { status, body } = await server.ask('GET', url);
        return status === 200 && at(body, '/metadata/uid') !== at(before, '/metadata/uid');
      });
    }
  });

  it('puts the certificate of its authority right when somebody changes it', async () => {
    await using server = await openServer({ caPem: 'PEM' });
    const url = inside('default', 'configmaps/kube-root-ca.crt');
    const patch = { contentType: 'application/merge-patch+json', body: { data: { 'ca.crt': '' } } };
    assert.equal((await server.ask('PATCH', url, patch)).status, 200);
    await until('the certificate', async () => {
      const { body } = await server.ask('GET', url);
      return at(body, '/data/ca.crt') === 'PEM';
    });
  });

  it('serves at once what was established before it started', async () => {
    const store = openMemoryStore();
    const first = await openServer({ store });
    await first.ask('POST', crds, { body: definition });
    await until('served', async () => (await first.ask('GET', things)).status === 200);
    await first.server.close();
    await using second = await openServer({ store });
    assert.equal((await second.ask('GET', things)).status, 200);
  });

  it('is not ready before it starts and after it closes', async () => {
    const server = await openServer();
    assert.equal((await server.ask('GET', '/readyz')).status, 200);
    await server.server.close();
    assert.equal((await server.ask('GET', '/readyz')).status, 500);
  });
});

describe('custom resources', () => {
  it('are in discovery and OpenAPI while they are defined', async () => {
    await using server = await openServer();
    assert.equal((await server.ask('GET', things)).status, 404);
    await server.ask('POST', crds, { body: definition });
    await until('served', async () => (await server.ask('GET', things)).status === 200);
    const { body: index } = await server.ask('GET', '/openapi/v3');
    const url = textAt(index, '/paths/apis~1example.com~1v1/serverRelativeURL');
    const [path = '', hash = ''] = url.split('?hash=');
    const document = await server.ask('GET', path, { query: { hash } });
    assert.match(document.headers['cache-control'] ?? '', /immutable/);
    assert.ok(at(document.body, '/components/schemas/com.example.v1.Thing'));
    await server.ask('POST', things, {
      body: { apiVersion: 'example.com/v1', kind: 'Thing', metadata: { name: 'a' } },
    });
    await server.ask('DELETE', `${crds}/things.example.com`);
    await until('definition gone', isGone(server, `${crds}/things.example.com`));
    assert.equal((await server.ask('GET', '/apis/example.com')).status, 404);
  });
});

describe('garbage collection', () => {
  it('follows owners through several kinds', async () => {
    await using server = await openServer();
    const owner = await server.ask('POST', inside('default', 'configmaps'), {
      body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'top' } },
    });
    const own = (kind: string, owner: unknown): object => {
      const [name, uid] = [at(owner, '/metadata/name'), at(owner, '/metadata/uid')];
      return { ownerReferences: [{ apiVersion: 'v1', kind, name, uid }] };
    };
    const middle = await server.ask('POST', inside('default', 'secrets'), {
      body: {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'middle', ...own('ConfigMap', owner.body) },
      },
    });
    await server.ask('POST', inside('default', 'serviceaccounts'), {
      body: {
        apiVersion: 'v1',
        kind: 'ServiceAccount',
        metadata: { name: 'leaf', ...own('Secret', middle.body) },
      },
    });
    await server.ask('DELETE', `${inside('default', 'configmaps')}/top`);
    await until('leaf gone', isGone(server, `${inside('default', 'serviceaccounts')}/leaf`));
  });

  it('removes a dependent that was created after its owner went', async () => {
    await using server = await openServer();
    const uid = '11111111-2222-3333-4444-555555555555';
    await server.ask('POST', inside('default', 'configmaps'), {
      body: {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: {
          name: 'late',
          ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'gone', uid }],
        },
      },
    });
    await until('late gone', isGone(server, `${inside('default', 'configmaps')}/late`));
  });

  it('leaves alone, after a restart, what was read before its owner', async () => {
    await using store = openMemoryStore();
    const configMaps = inside('default', 'configmaps');
    const post = async (server: OpenedServer, plural: string, body: object): Promise<unknown> =>
      (await server.ask('POST', inside('default', plural), { body })).body;
    const configMap = (name: string, kind: string, uid: unknown): object => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name, ownerReferences: [{ apiVersion: 'v1', kind, name: 'owner', uid }] },
    });
    {
      await using server = await openServer({ store });
      const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'owner' } };
      const owner = await post(server, 'secrets', secret);
      await post(server, 'configmaps', configMap('kept', 'Secret', at(owner, '/metadata/uid')));
    }
    await using server = await openServer({ store });
    const nobody = '11111111-2222-3333-4444-555555555555';
    await post(server, 'configmaps', configMap('late', 'Secret', nobody));
    await until('late gone', isGone(server, `${configMaps}/late`));
    assert.equal((await server.ask('GET', `${configMaps}/kept`)).status, 200);
  });
});

describe('namespaces', () => {
  it('empty all kinds, custom ones too, and take nothing new meanwhile', async () => {
    await using server = await openServer();
    await server.ask('POST', crds, { body: definition });
    await until('served', async () => (await server.ask('GET', things)).status === 200);
    const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'room' } };
    await server.ask('POST', '/api/v1/namespaces', { body });
    const held = `/apis/example.com/v1/namespaces/room/things`;
    await server.ask('POST', held, {
      body: {
        apiVersion: 'example.com/v1',
        kind: 'Thing',
        metadata: { name: 'a', finalizers: ['example.com/hold'] },
      },
    });
    await server.ask('DELETE', '/api/v1/namespaces/room');
    const late = await server.ask('POST', inside('room', 'configmaps'), {
      body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'late' } },
    });
    assert.equal(late.status, 403);
    assert.equal(
      at((await server.ask('GET', '/api/v1/namespaces/room')).body, '/status/phase'),
      'Terminating',
    );
    await server.ask('PATCH', `${held}/a`, {
      contentType: 'application/merge-patch+json',
      body: { metadata: { finalizers: null } },
    });
    await until('room gone', isGone(server, '/api/v1/namespaces/room'));
  });
});

describe('a namespace that goes', () => {
  it('keeps what Pods may need until they are gone', async () => {
    await using server = await openServer();
    const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'order' } };
    await server.ask('POST', '/api/v1/namespaces', { body });
    await server.ask('POST', inside('order', 'configmaps'), {
      body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'needed' } },
    });
    await server.ask('POST', inside('order', 'pods'), {
      body: {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'p', finalizers: ['example.com/hold'] },
        spec: { containers: [{ name: 'c', image: 'img:1' }] },
      },
    });
    await server.ask('DELETE', '/api/v1/namespaces/order');
    const pod = `${inside('order', 'pods')}/p`;
    await until('the Pod asked to go', async () => {
      const { body: found } = await server.ask('GET', pod);
      return at(found, '/metadata/deletionTimestamp') !== undefined;
    });
    const needed = `${inside('order', 'configmaps')}/needed`;
    assert.equal((await server.ask('GET', needed)).status, 200);
    await server.ask('PATCH', pod, {
      contentType: 'application/merge-patch+json',
      body: { metadata: { finalizers: null } },
    });
    await until('the namespace gone', isGone(server, '/api/v1/namespaces/order'));
  });
});

describe('Pods', () => {
  const pods = inside('default', 'pods');
  const pod = (spec: object = {}): object => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p' },
    spec: { containers: [{ name: 'c', image: 'img:1' }], ...spec },
  });

  it('wait for their grace period where they run', async () => {
    await using server = await openServer();
    await server.ask('POST', pods, { body: pod({ nodeName: 'here' }) });
    const first = await server.ask('DELETE', `${pods}/p`);
    assert.equal(at(first.body, '/metadata/deletionGracePeriodSeconds'), 30);
    assert.equal((await server.ask('GET', `${pods}/p`)).status, 200);
    await server.ask('DELETE', `${pods}/p`, { query: { gracePeriodSeconds: '0' } });
    assert.equal((await server.ask('GET', `${pods}/p`)).status, 404);
  });

  it('tell that nothing runs them when asked for logs', async () => {
    await using server = await openServer();
    await server.ask('POST', pods, { body: pod() });
    const { status, body } = await server.ask('GET', `${pods}/p/log`);
    assert.equal(status, 501);
    assert.match(textAt(body, '/message'), /no runtime for Pods/);
  });
});

describe('Events', () => {
  it('are one store with two views, and go after an hour', async () => {
    const clock = new VirtualClock();
    await using server = await openServer({ clock });
    await server.ask('POST', inside('default', 'events'), {
      body: {
        apiVersion: 'v1',
        kind: 'Event',
        metadata: { name: 'e' },
        involvedObject: { kind: 'Pod', name: 'p' },
        message: 'hello',
      },
    });
    const newer = '/apis/events.k8s.io/v1/namespaces/default/events/e';
    const { body } = await server.ask('GET', newer);
    assert.equal(at(body, '/note'), 'hello');
    assert.deepEqual(at(body, '/regarding'), { kind: 'Pod', name: 'p' });
    const selected = await server.ask('GET', inside('default', 'events'), {
      query: { fieldSelector: 'involvedObject.name=p' },
    });
    assert.equal(listAt(selected.body, '/items').length, 1);
    const renamed = await server.ask('GET', '/apis/events.k8s.io/v1/events', {
      query: { fieldSelector: 'regarding.name=p,regarding.kind=Pod,type!=Warning' },
    });
    assert.equal(listAt(renamed.body, '/items').length, 1);
    const unknown = await server.ask('GET', '/apis/events.k8s.io/v1/events', {
      query: { fieldSelector: 'involvedObject.name=p' },
    });
    assert.equal(unknown.status, 400);
    await clock.advance(59 * 60_000);
    assert.equal((await server.ask('GET', newer)).status, 200);
    await clock.advance(3 * 60_000);
    assert.equal((await server.ask('GET', newer)).status, 404);
  });
});
