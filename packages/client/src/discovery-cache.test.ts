import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VirtualClock } from '@fnlet/base';
import { type CannedAnswer, CannedTransport } from '../test/canned-transport.ts';
import { createDiscoveryCache, type DiscoveryCache } from './discovery-cache.ts';

function core(...kinds: readonly string[]): CannedAnswer {
  const resources = kinds.map((kind) => {
    const resource = `${kind.toLowerCase()}s`;
    return { resource, responseKind: { kind }, scope: 'Namespaced', verbs: ['get'] };
  });
  const items = [{ metadata: { name: '' }, versions: [{ version: 'v1', resources }] }];
  return { status: 200, body: { kind: 'APIGroupDiscoveryList', items } };
}

const noGroups: CannedAnswer = { status: 200, body: { kind: 'APIGroupDiscoveryList', items: [] } };

interface Bed {
  readonly transport: CannedTransport;
  readonly clock: VirtualClock;
  readonly discovery: DiscoveryCache;
}

/** An API that answers so, time after time. */
function bedOf(...cores: readonly CannedAnswer[]): Bed {
  const transport = new CannedTransport(cores.flatMap((answer) => [answer, noGroups]));
  const clock = new VirtualClock();
  return { transport, clock, discovery: createDiscoveryCache(transport, { clock }) };
}

test('a known kind is asked for once, however many want to know', async () => {
  const { discovery, transport } = bedOf(core('Pod'));
  const found = await Promise.all([discovery.ofKind('v1', 'Pod'), discovery.ofKind('v1', 'Pod')]);
  assert.deepEqual(
    found.map((resource) => resource?.type.plural),
    ['pods', 'pods'],
  );
  await discovery.ofKind('v1', 'Pod');
  assert.equal(transport.requests.length, 2);
});

test('a kind is found by the plural of URLs, in its own version alone', async () => {
  const { discovery, transport } = bedOf(core('Pod'), core('Pod'));
  assert.equal((await discovery.ofPlural('v1', 'pods'))?.type.kind, 'Pod');
  assert.equal(transport.requests.length, 2);
  assert.equal(await discovery.ofPlural('apps/v1', 'pods'), undefined);
});

test('a kind that was defined since is found', async () => {
  const { discovery, transport } = bedOf(core('Pod'), core('Pod', 'Node'));
  assert.ok(await discovery.ofKind('v1', 'Pod'));
  assert.equal((await discovery.ofKind('v1', 'Node'))?.type.plural, 'nodes');
  assert.equal(transport.requests.length, 4);
});

test('what is known is asked for again when it is old', async () => {
  const { discovery, transport, clock } = bedOf(core('Pod'), core());
  await discovery.ofKind('v1', 'Pod');
  await clock.advance(599_000);
  assert.ok(await discovery.ofKind('v1', 'Pod'));
  await clock.advance(1_000);
  assert.equal(await discovery.ofKind('v1', 'Pod'), undefined);
  assert.equal(transport.requests.length, 4);
});

test('a failure is thrown, and not remembered', async () => {
  const refused = { status: 403, body: { kind: 'Status', code: 403, reason: 'Forbidden' } };
  const { discovery } = bedOf(refused, core('Pod'));
  await assert.rejects(discovery.ofKind('v1', 'Pod'), { code: 'Forbidden' });
  assert.ok(await discovery.ofKind('v1', 'Pod'));
});

test('who is aborted does not wait for the answer that others wait for', async () => {
  const { discovery } = bedOf(core('Pod'));
  const stop = new AbortController();
  const [hasty, patient] = [
    discovery.ofKind('v1', 'Pod', { signal: stop.signal }),
    discovery.ofKind('v1', 'Pod'),
  ];
  stop.abort();
  await assert.rejects(hasty, { name: 'AbortError' });
  assert.equal((await patient)?.type.plural, 'pods');
});
