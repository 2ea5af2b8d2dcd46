import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type CannedAnswer, CannedTransport } from '../test/canned-transport.ts';
import { type Discovery, discover } from './discovery.ts';

const ok = (body: unknown): CannedAnswer => ({ status: 200, body });

const aggregatedResource = (
  resource: string,
  responseKind: string,
  more: object = {},
): unknown => ({
  resource,
  responseKind: { group: '', version: '', kind: responseKind },
  scope: 'Namespaced',
  singularResource: responseKind.toLowerCase(),
  verbs: ['get', 'list'],
  ...more,
});

const aggregated = (groups: Readonly<Record<string, unknown>>): CannedAnswer =>
  ok({
    kind: 'APIGroupDiscoveryList',
    apiVersion: 'apidiscovery.k8s.io/v2',
    items: Object.entries(groups).map(([name, versions]) => ({ metadata: { name }, versions })),
  });

function discoverAggregated(): Promise<Discovery> {
  const core = [
    aggregatedResource('pods', 'Pod', {
      shortNames: ['po'],
      categories: ['all'],
      subresources: [{ subresource: 'status' }, { subresource: 'log' }],
    }),
    aggregatedResource('events', 'Event', { shortNames: ['ev'] }),
    aggregatedResource('namespaces', 'Namespace', { scope: 'Cluster' }),
  ];
  const functions = aggregatedResource('functions', 'Function', { shortNames: ['fn'] });
  const transport = new CannedTransport([], {
    '/api': aggregated({ '': [{ version: 'v1', resources: core }] }),
    '/apis': aggregated({
      'events.k8s.io': [{ version: 'v1', resources: [aggregatedResource('events', 'Event')] }],
      'fnlet.dev': [
        { version: 'v1beta1', resources: [functions] },
        { version: 'v1alpha1', resources: [functions, { resource: 'ghosts' }] },
      ],
    }),
  });
  return discover(transport);
}

function discoverLegacy(): Promise<Discovery> {
  const transport = new CannedTransport([], {
    '/api': ok({ kind: 'APIVersions', versions: ['v1'] }),
    '/api/v1': ok({
      groupVersion: 'v1',
      resources: [
        { name: 'pods', kind: 'Pod', namespaced: true, verbs: ['get'], shortNames: ['po'] },
        { name: 'pods/log', kind: 'Pod', namespaced: true, verbs: ['get'] },
      ],
    }),
    '/apis': ok({
      kind: 'APIGroupList',
      groups: [
        {
          name: 'fnlet.dev',
          versions: [{ groupVersion: 'fnlet.dev/v1alpha1' }, { groupVersion: 'fnlet.dev/v1beta1' }],
          preferredVersion: { groupVersion: 'fnlet.dev/v1beta1' },
        },
        { name: 'broken.dev', versions: [{ groupVersion: 'broken.dev/v1' }] },
      ],
    }),
    '/apis/fnlet.dev/v1alpha1': ok({
      groupVersion: 'fnlet.dev/v1alpha1',
      resources: [{ name: 'functions', kind: 'Function', singularName: '', namespaced: true }],
    }),
    '/apis/fnlet.dev/v1beta1': ok({
      groupVersion: 'fnlet.dev/v1beta1',
      resources: [{ name: 'functions', kind: 'Function', singularName: '', namespaced: true }],
    }),
    '/apis/broken.dev/v1': { status: 503, body: 'its backend is down' },
  });
  return discover(transport);
}

describe('discover()', () => {
  it('reads aggregated discovery', async () => {
    const { resources } = await discoverAggregated();
    assert.deepEqual(resources[0], {
      type: { group: '', version: 'v1', kind: 'Pod', plural: 'pods', namespaced: true },
      singular: 'pod',
      shortNames: ['po'],
      categories: ['all'],
      verbs: ['get', 'list'],
      subresources: ['status', 'log'],
    });
    assert.equal(resources[2]?.type.namespaced, false);
    assert.equal(resources.length, 6);
  });

  it('reads legacy discovery, without groups whose backend is down', async () => {
    const discovery = await discoverLegacy();
    assert.deepEqual(discovery.resolve('po').subresources, ['log']);
    assert.equal(discovery.resolve('function').type.version, 'v1beta1');
    assert.equal(discovery.resources.length, 3);
  });

  it('rejects when the API refuses', async () => {
    const refused = { status: 401, body: { kind: 'Status', code: 401, reason: 'Unauthorized' } };
    const transport = new CannedTransport([refused, refused]);
    await assert.rejects(discover(transport), { code: 'Unauthorized' });
  });
});

describe('Discovery', () => {
  for (const name of ['fn', 'functions', 'function', 'Function', 'fn.fnlet.dev']) {
    it(`resolve() finds "${name}" in its preferred version`, async () => {
      const { type } = (await discoverAggregated()).resolve(name);
      assert.deepEqual([type.kind, type.version], ['Function', 'v1beta1']);
    });
  }

  it('resolve() prefers the first group, unless one is named', async () => {
    const discovery = await discoverAggregated();
    assert.equal(discovery.resolve('events').type.group, '');
    assert.equal(discovery.resolve('events.events.k8s.io').type.group, 'events.k8s.io');
    assert.equal(discovery.resolve('functions.v1alpha1.fnlet.dev').type.version, 'v1alpha1');
  });

  it('resolve() throws UnknownResource for what is not served', async () => {
    const discovery = await discoverAggregated();
    for (const name of ['ghosts', 'functions.other.dev', 'fnx', '']) {
      assert.throws(() => discovery.resolve(name), { code: 'UnknownResource' });
    }
  });

  it('ofKind() finds a kind as objects name it', async () => {
    const discovery = await discoverAggregated();
    assert.equal(discovery.ofKind('fnlet.dev/v1alpha1', 'Function')?.type.version, 'v1alpha1');
    assert.equal(discovery.ofKind('v1', 'Function'), undefined);
  });
});
