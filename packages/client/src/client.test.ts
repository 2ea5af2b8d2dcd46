import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { VirtualClock } from '@fnlet/base';
import type { KubeObject } from '@fnlet/machinery';
import { type CannedAnswer, CannedTransport } from '../test/canned-transport.ts';
import { configMaps } from '../test/scripted-api.ts';
import { createClient } from './client.ts';
import type { ResourceClient } from './resource-client.ts';

const key = { namespace: 'default', name: 'a' };
const object: KubeObject = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a', namespace: 'default', resourceVersion: '7' },
};

interface Bed {
  readonly transport: CannedTransport;
  readonly clock: VirtualClock;
  readonly client: ResourceClient<KubeObject>;
}

function bedOf(...answers: CannedAnswer[]): Bed {
  const transport = new CannedTransport(answers);
  const clock = new VirtualClock();
  const client = createClient(transport, { fieldManager: 'test', clock }).of(configMaps);
  return { transport, clock, client };
}

const collection = '/api/v1/namespaces/default/configmaps';

describe('ResourceClient requests', () => {
  const ok = { status: 200, body: object };

  it('get() reads one object', async () => {
    const { client, transport } = bedOf(ok);
    assert.deepEqual(await client.get(key), object);
    assert.deepEqual(transport.lines, [`GET ${collection}/a`]);
  });

  it('a name that no object has is never sent: its path would lead to all of them', async () => {
    const { client, transport } = bedOf();
    for (const name of ['', '.', '..']) {
      const broken = { ...object, metadata: { ...object.metadata, name } };
      for (const ask of [
        () => client.get({ ...key, name }),
        () => client.delete({ ...key, name }),
        () => client.patch({ ...key, name }, { type: 'merge', patch: {} }),
        () => client.update(broken),
        () => client.apply(broken),
      ]) {
        await assert.rejects(ask, { code: 'InvalidName' });
      }
    }
    assert.deepEqual(transport.lines, []);
  });

  it('create(), update() and updateStatus() send the object with the field manager', async () => {
    const { client, transport } = bedOf(ok, ok, ok);
    await client.create(object, { dryRun: true });
    await client.update(object);
    await client.updateStatus(object);
    assert.deepEqual(transport.lines, [
      `POST ${collection}?fieldManager=test&dryRun=All`,
      `PUT ${collection}/a?fieldManager=test`,
      `PUT ${collection}/a/status?fieldManager=test`,
    ]);
    assert.deepEqual(
      transport.requests.map(({ body }) => body),
      [object, object, object],
    );
  });

  it('reads and asks for subresources, which have kinds of their own', async () => {
    const scale = { kind: 'Scale', apiVersion: 'autoscaling/v1', spec: { replicas: 2 } };
    const { client, transport } = bedOf(
      { status: 200, body: scale },
      { status: 201, body: { kind: 'Status', status: 'Success' } },
      { status: 200, body: 'scale' },
    );
    assert.deepEqual(await client.getSubresource(key, 'scale'), scale);
    const request = { subresource: 'eviction', body: { kind: 'Eviction' } };
    const answer = await client.createSubresource(key, request, { dryRun: true });
    assert.equal(answer.status, 'Success');
    assert.deepEqual(transport.lines, [
      `GET ${collection}/a/scale`,
      `POST ${collection}/a/eviction?fieldManager=test&dryRun=All`,
    ]);
    assert.deepEqual(transport.requests[1]?.body, { kind: 'Eviction' });
    await assert.rejects(client.getSubresource(key, 'scale'), { code: 'InvalidAnswer' });
  });

  it('patch() and apply() name the type of their patch', async () => {
    const { client, transport } = bedOf(ok, ok, ok);
    await client.patch(key, { type: 'merge', patch: { data: null } });
    const patch = [{ op: 'remove', path: '/data' }];
    await client.patch(key, { type: 'json', patch }, { subresource: 'status', dryRun: true });
    await client.apply(object, { force: true, subresource: 'status' });
    assert.deepEqual(transport.lines, [
      `PATCH ${collection}/a?fieldManager=test`,
      `PATCH ${collection}/a/status?fieldManager=test&dryRun=All`,
      `PATCH ${collection}/a/status?force=true&fieldManager=test`,
    ]);
    assert.deepEqual(
      transport.requests.map(({ contentType }) => contentType),
      [
        'application/merge-patch+json',
        'application/json-patch+json',
        'application/apply-patch+yaml',
      ],
    );
  });

  it('delete() sends preconditions, propagation and grace', async () => {
    const { client, transport } = bedOf(ok, ok);
    const preconditions = { uid: 'u', resourceVersion: '7' };
    await client.delete(key, { preconditions, propagation: 'Foreground', gracePeriodSeconds: 0 });
    await client.deleteCollection({ namespace: 'default', labelSelector: 'a=b', dryRun: true });
    assert.deepEqual(transport.lines, [
      `DELETE ${collection}/a`,
      `DELETE ${collection}?labelSelector=a=b&dryRun=All`,
    ]);
    assert.deepEqual(transport.requests[0]?.body, {
      kind: 'DeleteOptions',
      apiVersion: 'v1',
      propagationPolicy: 'Foreground',
      gracePeriodSeconds: 0,
      preconditions,
    });
  });
});

describe('ResourceClient lists', () => {
  const page = (names: readonly string[], token?: string): CannedAnswer => ({
    status: 200,
    body: {
      kind: 'ConfigMapList',
      metadata: { resourceVersion: '9', continue: token, remainingItemCount: 3 },
      items: names.map((name) => ({ metadata: { name } })),
    },
  });

  it('list() fills in what items of built-in kinds leave out', async () => {
    const { client, transport } = bedOf(page(['a'], 'token'));
    const list = await client.list({
      labelSelector: 'app in (a,b)',
      fieldSelector: 'x=y',
      limit: 1,
    });
    assert.deepEqual(list, {
      items: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } }],
      resourceVersion: '9',
      continue: 'token',
      remainingItemCount: 3,
    });
    assert.deepEqual(transport.lines, [
      'GET /api/v1/configmaps?labelSelector=app in (a,b)&fieldSelector=x=y&limit=1',
    ]);
  });

  it('listAll() follows every page, without naming the version again', async () => {
    const { client, transport } = bedOf(page(['a', 'b'], 't1'), page([], 't2'), page(['c'], ''));
    const names: string[] = [];
    for await (const { metadata } of client.listAll({ resourceVersion: '0' })) {
      names.push(metadata.name);
    }
    assert.deepEqual(names, ['a', 'b', 'c']);
    assert.deepEqual(transport.lines, [
      'GET /api/v1/configmaps?limit=500&resourceVersion=0',
      'GET /api/v1/configmaps?limit=500&continue=t1',
      'GET /api/v1/configmaps?limit=500&continue=t2',
    ]);
  });

  it('list() takes null for no items', async () => {
    const body = { metadata: { resourceVersion: '9' }, items: null };
    const { client } = bedOf({ status: 200, body });
    assert.deepEqual((await client.list()).items, []);
  });
});

describe('ResourceClient answers', () => {
  it('rejects with the Status of a failed answer', async () => {
    const body = { kind: 'Status', code: 409, reason: 'AlreadyExists', message: 'it is there' };
    const { client } = bedOf({ status: 409, body });
    await assert.rejects(client.create(object), { code: 'AlreadyExists', message: 'it is there' });
  });

  it('rejects with a Status also when the body is none, or has an unknown reason', async () => {
    const { client } = bedOf(
      { status: 502, body: '<html>Bad Gateway</html>' },
      { status: 403, body: { kind: 'Status', code: 403, reason: 'Novel', message: 'no' } },
      { status: 404, body: '' },
    );
    await assert.rejects(client.get(key), {
      code: 'InternalError',
      message: 'The server answered with HTTP status 502: <html>Bad Gateway</html>',
    });
    await assert.rejects(client.get(key), { code: 'Forbidden', message: 'no' });
    await assert.rejects(client.get(key), { code: 'NotFound' });
  });

  it('tryGet() gives undefined for what is not there, and rejects for the rest', async () => {
    const { client } = bedOf({ status: 404, body: '' }, { status: 403, body: '' });
    assert.equal(await client.tryGet(key), undefined);
    await assert.rejects(client.tryGet(key), { code: 'Forbidden' });
  });

  it('rejects with InvalidAnswer for what is not the kind', async () => {
    const bodies = [
      'text',
      null,
      {},
      { ...object, kind: 'Secret' },
      { ...object, metadata: {} },
      { kind: 'Status', status: 'Success' },
    ];
    for (const body of bodies) {
      const { client } = bedOf({ status: 200, body }, { status: 200, body });
      await assert.rejects(client.get(key), { code: 'InvalidAnswer' });
      await assert.rejects(client.list(), { code: 'InvalidAnswer' });
    }
  });

  for (const status of [429, 503]) {
    it(`waits as Retry-After of ${status} asks, a bounded number of times`, async () => {
      const busy = { status, body: '', headers: { 'retry-after': '2' } };
      const { client, transport, clock } = bedOf(busy, busy, { status: 200, body: object });
      const reading = client.get(key);
      await clock.advance(1_999);
      assert.equal(transport.requests.length, 1);
      await clock.advance(3_000);
      assert.deepEqual(await reading, object);

      const never = bedOf(busy, busy, busy, busy);
      const refused = assert.rejects(never.client.get(key), { retry: { afterMs: 2_000 } });
      await never.clock.advance(60_000);
      await refused;
      assert.equal(never.transport.requests.length, 4);
    });
  }

  it('takes a date as Retry-After, by the clock of the server if it tells the time', async () => {
    const date = 'Thu, 01 Jan 2026 00:00:05 GMT';
    for (const [headers, waitMs] of [
      [{ 'retry-after': date }, 5_000],
      [{ 'retry-after': date, date: 'Thu, 01 Jan 2026 00:00:02 GMT' }, 3_000],
      [{ 'retry-after': date, date: 'Thu, 01 Jan 2026 00:01:00 GMT' }, 0],
    ] as const) {
      const busy = { status: 503, body: '', headers };
      const { client, transport, clock } = bedOf(busy, { status: 200, body: object });
      const reading = client.get(key);
      await clock.advance(Math.max(0, waitMs - 1));
      assert.equal(transport.requests.length, waitMs === 0 ? 2 : 1);
      await clock.advance(1);
      assert.deepEqual(await reading, object);
    }
    const { client } = bedOf({ status: 503, body: '', headers: { 'retry-after': 'soon' } });
    await assert.rejects(client.get(key), { code: 'ServiceUnavailable' });
  });

  it('does not wait without Retry-After, nor for a very long one', async () => {
    const { client, transport } = bedOf(
      { status: 503, body: '' },
      { status: 429, body: '', headers: { 'retry-after': '3600' } },
    );
    await assert.rejects(client.get(key), { code: 'ServiceUnavailable' });
    await assert.rejects(client.get(key), { code: 'TooManyRequests' });
    assert.equal(transport.requests.length, 2);
  });

  it('sends no more than its rate limit, when it has one', async () => {
    const ok = { status: 200, body: object };
    const { transport, clock } = bedOf(ok, ok, ok);
    const rateLimit = { qps: 1, burst: 2 };
    const { of } = createClient(transport, { fieldManager: 'test', clock, rateLimit });
    const all = Promise.all([1, 2, 3].map(() => of(configMaps).get(key)));
    const stop = new AbortController();
    const left = assert.rejects(of(configMaps).get(key, { signal: stop.signal }), {
      code: 'Aborted',
    });
    await clock.advance(999);
    assert.equal(transport.requests.length, 2);
    stop.abort();
    await left;
    await clock.advance(1);
    await all;
    assert.equal(transport.requests.length, 3);
  });

  it('stops waiting when the signal aborts', async () => {
    const { client, clock } = bedOf({ status: 429, body: '', headers: { 'retry-after': '9' } });
    const stop = new AbortController();
    const aborted = assert.rejects(client.get(key, { signal: stop.signal }), { code: 'Aborted' });
    await clock.advance(1);
    stop.abort();
    await aborted;
  });
});

describe('ResourceClient.watch()', () => {
  const watchOf = (...documents: unknown[]): Bed => bedOf({ status: 200, body: '', documents });

  it('gives events and bookmarks', async () => {
    const annotations = { 'k8s.io/initial-events-end': 'true' };
    const { client, transport } = watchOf(
      { type: 'ADDED', object: { metadata: { name: 'a' } } },
      { type: 'BOOKMARK', object: { metadata: { resourceVersion: '8', annotations } } },
      { type: 'BOOKMARK', object: { metadata: { resourceVersion: '9' } } },
      { type: 'DELETED', object },
    );
    const events = await Array.fromAsync(
      client.watch({ namespace: 'default', resourceVersion: '5', timeoutSeconds: 60 }),
    );
    const added = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } };
    assert.deepEqual(events, [
      { type: 'ADDED', object: added },
      { type: 'BOOKMARK', resourceVersion: '8', initialEventsEnd: true },
      { type: 'BOOKMARK', resourceVersion: '9', initialEventsEnd: false },
      { type: 'DELETED', object },
    ]);
    assert.deepEqual(transport.lines, [
      `GET ${collection}?watch=true&allowWatchBookmarks=true&resourceVersion=5&timeoutSeconds=60`,
    ]);
  });

  it('rejects with the Status of an error event', async () => {
    const status = { kind: 'Status', code: 410, reason: 'Expired', message: 'too old' };
    const { client } = watchOf({ type: 'ERROR', object: status });
    await assert.rejects(Array.fromAsync(client.watch()), { code: 'Expired' });
  });

  it('rejects with InvalidAnswer for anything else', async () => {
    for (const document of [{ type: 'NEWS' }, 1, null, { type: 'ADDED' }, { type: 'BOOKMARK' }]) {
      const { client } = watchOf(document);
      await assert.rejects(Array.fromAsync(client.watch()), { code: 'InvalidAnswer' });
    }
  });
});
