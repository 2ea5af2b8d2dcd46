import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isJsonObject, type JsonObject, VirtualClock } from '@fnlet/base';
import { at, listAt, objectAt, textAt } from './at.ts';
import { type Answer, openServer } from './opened-server.ts';

const crd = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const url = 'https://hooks.test/convert';

function version(name: string, field: string, isStored: boolean): object {
  const spec = {
    type: 'object',
    properties: { [field]: { type: 'string' }, own: { type: 'string', default: name } },
  };
  const openAPIV3Schema = { type: 'object', properties: { spec } };
  return { name, served: true, storage: isStored, schema: { openAPIV3Schema } };
}

/** v1 says `spec.host`, v2 says `spec.address`. */
function convert(object: JsonObject, desired: string): JsonObject {
  const [from, to] = desired.endsWith('v2') ? ['host', 'address'] : ['address', 'host'];
  const value = at(object, `/spec/${from}`);
  return { ...object, apiVersion: desired, spec: { [to]: value } };
}

type Change = (converted: readonly JsonObject[], request: JsonObject) => JsonObject;

/** A server with Sites in two versions, which a webhook converts: a function of the test. */
async function openSites() {
  await using stack = new AsyncDisposableStack();
  const clock = new VirtualClock();
  const batches: number[] = [];
  const hook: { answer: Change } = {
    answer: (convertedObjects) => ({ convertedObjects, result: { status: 'Success' } }),
  };
  const server = stack.use(
    await openServer({
      clock,
      postToWebhook: async ({ body }) => {
        const review: unknown = JSON.parse(body);
        const request = objectAt(review, '/request');
        const desired = textAt(request, '/desiredAPIVersion');
        const objects = listAt(request, '/objects').filter(isJsonObject);
        batches.push(objects.length);
        const converted = objects.map((object) => convert(object, desired));
        const response = { uid: request.uid, ...hook.answer(converted, request) };
        const { apiVersion, kind } = objectAt(review, '');
        return { status: 200, text: JSON.stringify({ apiVersion, kind, response }) };
      },
    }),
  );
  const webhook = { clientConfig: { url }, conversionReviewVersions: ['v1'] };
  const spec = {
    ...{ group: 'x.com', scope: 'Namespaced', names: { plural: 'sites', kind: 'Site' } },
    versions: [version('v1', 'host', true), version('v2', 'address', false)],
    conversion: { strategy: 'Webhook', webhook },
  };
  const head = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' };
  const defined = { ...head, metadata: { name: 'sites.x.com' }, spec };
  assert.equal((await server.ask('POST', crd, { body: defined })).status, 201);
  await clock.advance(100);
  const sites = (name: string): string => `/apis/x.com/${name}/namespaces/default/sites`;
  const moved = stack.move();
  return {
    ...{ ask: server.ask, clock, batches, hook, sites },
    create: (apiVersion: string, name: string, given: object): Promise<Answer> => {
      const body = {
        apiVersion: `x.com/${apiVersion}`,
        kind: 'Site',
        metadata: { name },
        spec: given,
      };
      return server.ask('POST', sites(apiVersion), { body });
    },
    [Symbol.asyncDispose]: () => moved.disposeAsync(),
  };
}

const merge = 'application/merge-patch+json';

describe('a definition whose versions a webhook converts', () => {
  it('keeps one version, and shows and takes each', async () => {
    await using world = await openSites();
    const { ask, sites, create } = world;
    const made = await create('v2', 'a', { address: 'here' });
    assert.equal(made.status, 201);
    assert.equal(at(made.body, '/apiVersion'), 'x.com/v2');
    assert.deepEqual(at(made.body, '/spec'), { address: 'here', own: 'v2' });
    const read = await ask('GET', `${sites('v1')}/a`);
    assert.equal(at(read.body, '/apiVersion'), 'x.com/v1');
    assert.deepEqual(at(read.body, '/spec'), { host: 'here', own: 'v1' });
    assert.equal(at(read.body, '/metadata/uid'), at(made.body, '/metadata/uid'));
    const body = { spec: { host: 'there' } };
    await ask('PATCH', `${sites('v1')}/a`, { body, contentType: merge });
    const changed = await ask('GET', `${sites('v2')}/a`);
    assert.deepEqual(at(changed.body, '/spec'), { address: 'there', own: 'v2' });
    const next = { spec: { address: 'elsewhere' } };
    const patched = await ask('PATCH', `${sites('v2')}/a`, { body: next, contentType: merge });
    assert.equal(at(patched.body, '/spec/address'), 'elsewhere');
    assert.equal(at((await ask('GET', `${sites('v1')}/a`)).body, '/spec/host'), 'elsewhere');
  });

  it('converts a list at once, and nothing that is kept as it is asked for', async () => {
    await using world = await openSites();
    const { ask, sites, create, batches } = world;
    for (const name of ['a', 'b', 'c']) await create('v1', name, { host: name });
    assert.deepEqual(batches, []);
    await ask('GET', sites('v1'));
    assert.deepEqual(batches, []);
    const { body } = await ask('GET', sites('v2'), { query: { limit: '2' } });
    assert.deepEqual(batches, [2]);
    const addresses = listAt(body, '/items').map((item) => at(item, '/spec/address'));
    assert.deepEqual(addresses, ['a', 'b']);
    assert.notEqual(at(body, '/metadata/continue'), undefined);
  });

  it('shows a watch every change in its version, in order', async () => {
    await using world = await openSites();
    const { ask, sites, create } = world;
    await create('v1', 'a', { host: '1' });
    const abort = new AbortController();
    const query = { watch: 'true', timeoutSeconds: '5', allowWatchBookmarks: 'true' };
    const watched = ask('GET', sites('v2'), { query, signal: abort.signal });
    await new Promise((resolve) => setImmediate(resolve));
    await create('v1', 'b', { host: '2' });
    await ask('DELETE', `${sites('v1')}/a`);
    await world.clock.advance(10_000);
    const { body } = await watched;
    const seen = listAt(body, '').map((event) => [
      at(event, '/type'),
      at(event, '/object/apiVersion'),
      at(event, '/object/spec/address'),
    ]);
    assert.deepEqual(seen.slice(0, 3), [
      ['ADDED', 'x.com/v2', '1'],
      ['ADDED', 'x.com/v2', '2'],
      ['DELETED', 'x.com/v2', '1'],
    ]);
  });

  it('takes labels and annotations of the webhook, and no other metadata', async () => {
    await using world = await openSites();
    const { ask, sites, create, hook } = world;
    await create('v1', 'a', { host: 'x' });
    hook.answer = (converted) => ({
      convertedObjects: converted.map((object) => ({
        ...object,
        metadata: { ...objectAt(object, '/metadata'), labels: { a: 'b' }, finalizers: ['x.com/f'] },
      })),
      result: { status: 'Success' },
    });
    const { body } = await ask('GET', `${sites('v2')}/a`);
    assert.deepEqual(at(body, '/metadata/labels'), { a: 'b' });
    assert.equal(at(body, '/metadata/finalizers'), undefined);
  });

  const success = { status: 'Success' };
  const first = (converted: readonly JsonObject[], changes: JsonObject): JsonObject => ({
    convertedObjects: [{ ...converted[0], ...changes }],
    result: success,
  });
  const failures: readonly (readonly [Change, string])[] = [
    [() => ({ result: { status: 'Failure', message: 'cannot' } }), 'cannot'],
    [() => ({}), "response.result.status was '', expected 'Success'"],
    [() => ({ result: success }), 'webhook returned 0 objects, expected 1'],
    [() => ({ uid: 'x' }), 'expected response.uid='],
    [
      (converted) => first(converted, { apiVersion: 'x.com/v9' }),
      'webhook returned invalid converted object at index 0: invalid groupVersion (expected x.com/v2, received x.com/v9)',
    ],
    [(converted) => first(converted, { kind: 'Other' }), 'webhook returned invalid'],
    [
      (converted) => first(converted, { metadata: { name: 'b', namespace: 'default' } }),
      'webhook returned invalid converted object at index 0: must have the same name: a != b',
    ],
  ];

  it('fails reads and writes with the reason of the webhook, and stores nothing', async () => {
    await using world = await openSites();
    const { ask, sites, create, hook } = world;
    await create('v1', 'a', { host: 'x' });
    for (const [answer, why] of failures) {
      hook.answer = answer;
      const { status, body } = await ask('GET', `${sites('v2')}/a`);
      const message = `conversion webhook for x.com/v1, Kind=Site failed: ${why}`;
      assert.equal(status, 500);
      assert.ok(textAt(body, '/message').startsWith(message), textAt(body, '/message'));
    }
    assert.equal((await create('v2', 'b', { address: 'y' })).status, 500);
    assert.equal((await ask('GET', `${sites('v1')}/b`)).status, 404);
    assert.equal((await ask('GET', `${sites('v1')}/a`)).status, 200);
  });

  it('lets objects go, and its own end, without asking the webhook', async () => {
    await using world = await openSites();
    const { ask, sites, create, hook, clock, batches } = world;
    await create('v1', 'a', { host: 'x' });
    await create('v1', 'b', { host: 'x' });
    hook.answer = () => ({ result: { status: 'Failure', message: 'away' } });
    assert.equal((await ask('DELETE', `${sites('v2')}/a`)).status, 200);
    await ask('DELETE', `${crd}/sites.x.com`);
    await clock.advance(1000);
    assert.equal((await ask('GET', `${crd}/sites.x.com`)).status, 404);
    assert.deepEqual(batches, []);
  });
});

describe('a definition with a conversion', () => {
  const rows: readonly (readonly [object, RegExp])[] = [
    [{ strategy: 'Magic' }, /supported values: "None", "Webhook"/],
    [{ strategy: 'Webhook' }, /webhookClientConfig: Required value: required when strategy/],
    [
      { strategy: 'Webhook', webhook: { clientConfig: {}, conversionReviewVersions: ['v1'] } },
      /exactly one of url or service is required/,
    ],
    [
      { strategy: 'Webhook', webhook: { clientConfig: { url } } },
      /conversionReviewVersions: Required value/,
    ],
  ];
  for (const [conversion, refusal] of rows) {
    it(`is refused as ${JSON.stringify(conversion)}`, async () => {
      await using server = await openServer();
      const names = { plural: 'sites', kind: 'Site' };
      const versions = [version('v1', 'host', true)];
      const spec = { group: 'x.com', scope: 'Namespaced', names, versions, conversion };
      const head = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' };
      const body = { ...head, metadata: { name: 'sites.x.com' }, spec };
      const answer = await server.ask('POST', crd, { body });
      assert.equal(answer.status, 422);
      assert.match(textAt(answer.body, '/message'), refusal);
    });
  }
});
