import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { VirtualClock } from '@fnlet/base';
import { at, listAt, textAt } from './at.ts';
import { type Answer, type AskOptions, openServer } from './opened-server.ts';

const crd = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const merge = 'application/merge-patch+json';

function schema(fields: object): object {
  const spec = {
    type: 'object',
    properties: { a: { type: 'string' }, n: { type: 'integer' }, ...fields },
  };
  const status = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  return { openAPIV3Schema: { type: 'object', properties: { spec, status } } };
}

const v1 = {
  name: 'v1',
  served: true,
  storage: true,
  schema: schema({}),
  selectableFields: [{ jsonPath: '.spec.a' }, { jsonPath: '.spec.n' }],
  additionalPrinterColumns: [
    { name: 'Seen', type: 'date', jsonPath: '.status.seen' },
    { name: 'N', type: 'integer', jsonPath: '.spec.n', priority: 1 },
  ],
};
const v2 = {
  name: 'v2',
  served: true,
  storage: false,
  schema: schema({ b: { type: 'string', default: 'new' } }),
  subresources: { status: {} },
};

/** A server with Toys in some versions, and what asks it. */
async function openToys(...versions: readonly object[]) {
  await using stack = new AsyncDisposableStack();
  const clock = new VirtualClock();
  const server = stack.use(await openServer({ clock }));
  const names = { plural: 'toys', kind: 'Toy' };
  const spec = { group: 'x.com', scope: 'Namespaced', names, versions };
  const head = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' };
  await server.ask('POST', crd, { body: { ...head, metadata: { name: 'toys.x.com' }, spec } });
  await clock.advance(100);
  const toys = (version: string) => `/apis/x.com/${version}/namespaces/default/toys`;
  const moved = stack.move();
  return {
    ask: server.ask,
    clock,
    toys,
    create: (version: string, name: string, rest: object): Promise<Answer> => {
      const head = { apiVersion: `x.com/${version}`, kind: 'Toy', metadata: { name } };
      return server.ask('POST', toys(version), { body: { ...head, ...rest } });
    },
    patch: (path: string, body: object, options: AskOptions = {}): Promise<Answer> =>
      server.ask('PATCH', path, { body, contentType: merge, ...options }),
    /** Writes other versions into the definition. */
    define: async (...next: readonly object[]): Promise<Answer> => {
      const body = { spec: { versions: next } };
      const answer = await server.ask('PATCH', `${crd}/toys.x.com`, { body, contentType: merge });
      await clock.advance(100);
      return answer;
    },
    [Symbol.asyncDispose]: () => moved.disposeAsync(),
  };
}

describe('a definition with versions', () => {
  it('shows an object in each version as far as that knows it', async () => {
    await using world = await openToys(v1, v2);
    const { ask, toys, patch } = world;
    await world.create('v1', 't', { spec: { a: 'x' } });
    assert.deepEqual(at((await ask('GET', `${toys('v2')}/t`)).body, '/spec'), { a: 'x', b: 'new' });
    await patch(`${toys('v2')}/t`, { spec: { b: 'mine' } });
    const old = await ask('GET', `${toys('v1')}/t`);
    assert.equal(at(old.body, '/apiVersion'), 'x.com/v1');
    assert.deepEqual(at(old.body, '/spec'), { a: 'x' });
    const list = await ask('GET', toys('v1'));
    assert.deepEqual(at(list.body, '/items/0/spec'), { a: 'x' });
    const touched = await patch(`${toys('v1')}/t`, { spec: { n: 1 } });
    assert.equal(touched.headers.warning, undefined);
  });

  it('has a status of its own in the versions that say so', async () => {
    await using world = await openToys(v1, v2);
    const { toys, patch } = world;
    const made = await world.create('v1', 't', { spec: {}, status: { whole: true } });
    assert.deepEqual(at(made.body, '/status'), { whole: true });
    assert.equal((await patch(`${toys('v1')}/t/status`, { status: {} })).status, 404);
    const { body } = await patch(`${toys('v2')}/t/status`, {
      status: { seen: 1 },
      spec: { a: 'no' },
    });
    assert.deepEqual(
      [at(body, '/status'), at(body, '/spec/a')],
      [{ whole: true, seen: 1 }, undefined],
    );
    const refined = await patch(`${toys('v2')}/t`, { status: { seen: 2 } });
    assert.equal(at(refined.body, '/status/seen'), 1);
    assert.equal(at(refined.body, '/metadata/generation'), 1);
    const plain = await patch(`${toys('v1')}/t`, { status: { seen: 3 } });
    assert.equal(at(plain.body, '/metadata/generation'), 2);
  });

  it('remembers the versions that objects were kept in, and does not let them go', async () => {
    await using world = await openToys(v1, v2);
    const stored = { ...v2, storage: true };
    const { body } = await world.define({ ...v1, storage: false }, stored);
    assert.deepEqual(at(body, '/status/storedVersions'), ['v1', 'v2']);
    const refused = await world.define(stored);
    assert.equal(refused.status, 422);
    const cause = at(refused.body, '/details/causes/0');
    assert.equal(at(cause, '/field'), 'status.storedVersions[0]');
    assert.match(
      textAt(cause, '/message'),
      /"v1": missing from spec\.versions; v1 was previously a storage/,
    );
    const trim = { status: { storedVersions: ['v2'] } };
    assert.equal((await world.patch(`${crd}/toys.x.com/status`, trim)).status, 200);
    assert.equal((await world.define(stored)).status, 200);
    assert.equal((await world.ask('GET', world.toys('v1'))).status, 404);
    const group = await world.ask('GET', '/apis/x.com');
    assert.deepEqual(at(group.body, '/preferredVersion'), {
      groupVersion: 'x.com/v2',
      version: 'v2',
    });
  });

  it('keeps its storage version among the stored ones, whatever is written there', async () => {
    await using world = await openToys(v1, v2);
    const empty = { status: { storedVersions: [] } };
    const { body } = await world.patch(`${crd}/toys.x.com/status`, empty);
    assert.deepEqual(at(body, '/status/storedVersions'), ['v1']);
  });

  it('warns of deprecated versions, and names a newer one that is not', async () => {
    const rows: readonly (readonly [readonly object[], string | undefined])[] = [
      [[v1, v2], undefined],
      [[{ ...v1, deprecated: true }, v2], 'x.com/v1 Toy is deprecated; use x.com/v2 Toy'],
      [
        [
          { ...v1, deprecated: true },
          { ...v2, deprecated: true },
        ],
        'x.com/v1 Toy is deprecated',
      ],
      [
        [
          { ...v1, deprecated: true },
          { ...v2, name: 'v1beta1' },
        ],
        'x.com/v1 Toy is deprecated',
      ],
      [[{ ...v1, deprecated: true, deprecationWarning: 'Go on.' }, v2], 'Go on.'],
    ];
    await using world = await openToys(v1, v2);
    await world.create('v1', 't', { spec: {} });
    for (const [versions, warning] of rows) {
      await world.define(...versions);
      const { headers } = await world.ask('GET', `${world.toys('v1')}/t`);
      assert.equal(headers.warning, warning && `299 - "${warning}"`);
    }
  });
});

describe('a definition that changes', () => {
  it('ends the watches of its objects, which go on in the new form when asked again', async () => {
    await using world = await openToys(v1);
    await world.create('v1', 't', { spec: { a: 'x' } });
    const query = { watch: 'true' };
    const watch = world.ask('GET', world.toys('v1'), { query });
    await world.clock.advance(100);
    await world.define({ ...v1, schema: schema({ c: { type: 'string', default: 'later' } }) });
    const events = listAt((await watch).body, '');
    assert.deepEqual(
      events.map((event) => at(event, '/type')),
      ['ADDED'],
    );
    const again = await world.ask('GET', `${world.toys('v1')}/t`);
    assert.equal(at(again.body, '/spec/c'), 'later');
  });

  it('lets watches see its objects go before they end with it', async () => {
    await using world = await openToys(v1);
    await world.create('v1', 't', { spec: {} });
    const watch = world.ask('GET', world.toys('v1'), { query: { watch: 'true' } });
    await world.clock.advance(100);
    await world.ask('DELETE', `${crd}/toys.x.com`);
    await world.clock.advance(1000);
    const events = listAt((await watch).body, '');
    assert.deepEqual(
      events.map((event) => at(event, '/type')),
      ['ADDED', 'DELETED'],
    );
    assert.equal((await world.ask('GET', `${crd}/toys.x.com`)).status, 404);
  });

  it('lets nothing in while it goes, and waits for the finalizers of its objects', async () => {
    await using world = await openToys(v1);
    const { ask, toys, clock } = world;
    await world.create('v1', 't', { spec: {} });
    await world.patch(`${toys('v1')}/t`, { metadata: { finalizers: ['x.com/hold'] } });
    await ask('DELETE', `${crd}/toys.x.com`);
    await clock.advance(1000);
    assert.equal((await world.create('v1', 'late', { spec: {} })).status, 403);
    const { body } = await ask('GET', `${crd}/toys.x.com`);
    const conditions = listAt(body, '/status/conditions');
    const terminating = conditions.find((one) => at(one, '/type') === 'Terminating');
    assert.equal(at(terminating, '/reason'), 'InstanceDeletionInProgress');
    await world.patch(`${toys('v1')}/t`, { metadata: { finalizers: null } });
    await clock.advance(1000);
    assert.equal((await ask('GET', `${crd}/toys.x.com`)).status, 404);
    assert.equal((await ask('GET', toys('v1'))).status, 404);
  });

  it('tolerates what its objects had before it became stricter, as long as nobody touches it', async () => {
    await using world = await openToys(v1);
    const { toys, patch } = world;
    await world.create('v1', 't', { spec: { a: 'long', n: 1 } });
    await world.define({ ...v1, schema: schema({ a: { type: 'string', maxLength: 2 } }) });
    assert.equal((await patch(`${toys('v1')}/t`, { spec: { n: 2 } })).status, 200);
    assert.equal((await patch(`${toys('v1')}/t`, { spec: { a: 'other' } })).status, 422);
    assert.equal((await patch(`${toys('v1')}/t`, { spec: { a: 'ok' } })).status, 200);
    assert.equal((await patch(`${toys('v1')}/t`, { spec: { a: 'long' } })).status, 422);
  });
});

describe('what a definition says beside its schema', () => {
  it('selects by the fields that it names, and by no others', async () => {
    await using world = await openToys(v1);
    await world.create('v1', 's', { spec: { a: 'x', n: 1 } });
    await world.create('v1', 't', { spec: { a: 'x', n: 2 } });
    const rows: readonly (readonly [string, number | string])[] = [
      ['spec.a=x', 2],
      ['spec.a=x,spec.n=2', 1],
      ['spec.n!=2', 1],
      ['spec.a=', 0],
      ['metadata.name=s,spec.a=x', 1],
      ['spec.b=x', 'field label not supported: spec.b'],
    ];
    for (const [fieldSelector, expected] of rows) {
      const { body } = await world.ask('GET', world.toys('v1'), { query: { fieldSelector } });
      const found = at(body, '/message') ?? listAt(body, '/items').length;
      assert.equal(found, expected, fieldSelector);
    }
  });

  it('shows its columns in order, the wide ones too, and how long ago something was', async () => {
    await using world = await openToys(v1);
    await world.create('v1', 't', { spec: { n: 4 }, status: { seen: '2025-12-31T22:00:00Z' } });
    const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
    const { body } = await world.ask('GET', world.toys('v1'), { headers: { accept } });
    const columns = listAt(body, '/columnDefinitions');
    assert.deepEqual(
      columns.map((one) => [at(one, '/name'), at(one, '/priority')]),
      [
        ['Name', 0],
        ['Seen', 0],
        ['N', 1],
      ],
    );
    assert.deepEqual(at(body, '/rows/0/cells'), ['t', '120m', 4]);
  });
});
