import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VirtualClock } from '@fnlet/base';
import type { Route } from '@fnlet/gateway';
import type { FleetOrder, ReportedDemand } from './fleet-message.ts';
import { type FleetMember, GatewayFleet } from './gateway-fleet.ts';

const route: Route = {
  namespace: 'default',
  function: 'hello',
  revision: 'default/hello-1',
  ...{ timeoutMs: 1_000, wakeMs: 1_000, bodyBytesMax: 1_000 },
  ...{ concurrencyLimit: 0, concurrencyTarget: 0 },
};
const endpoint = { id: 'hello-1-abcde', host: '10.0.0.1', port: 8080 };
const revision = 'default/hello-1';

function demand(part: Partial<ReportedDemand>): ReportedDemand {
  const none = { inFlight: 0, queued: 0, arrivals: 0, concurrencyMs: 0, busyMs: 0 };
  return { ...none, served: 0, servedMs: 0, idleMs: 0, ...part };
}

class World {
  readonly clock = new VirtualClock();
  readonly called: string[] = [];
  /** Zones of Nodes; an Instance at 10.0.0.1 runs on Node 1. */
  readonly nodes = new Map<string, string>();
  readonly fleet = new GatewayFleet({
    clock: this.clock,
    onDemand: (id) => this.called.push(id),
    onUnresponsive: (id) => this.called.push(`stuck ${id}`),
    zones: {
      ofNode: (node) => (node === undefined ? undefined : this.nodes.get(node)),
      ofHost: (host) => this.nodes.get(host.slice('10.0.0.'.length)),
    },
  });

  join(
    known: Readonly<Record<string, ReportedDemand>> = {},
    node?: string,
  ): {
    readonly member: FleetMember;
    readonly orders: FleetOrder[];
  } {
    const orders: FleetOrder[] = [];
    const member = this.fleet.join({ send: (order) => orders.push(order) }, known, node);
    return { member, orders };
  }
}

test('a Gateway that joins is told everything, and then what changes', () => {
  const world = new World();
  const { fleet } = world;
  fleet.setRoutes([route]);
  fleet.setEndpoints(revision, [endpoint]);
  const { orders } = world.join();
  assert.deepEqual(orders, [
    { type: 'routes', routes: [route], isLast: true },
    { type: 'endpoints', revision, endpoints: [endpoint] },
    { type: 'httpRoutes', routes: [], isLast: true },
    { type: 'later', isTaken: false },
    { type: 'names', names: [] },
    { type: 'complete' },
  ]);
  orders.length = 0;
  fleet.setRoute({ ...route });
  fleet.setEndpoints(revision, [{ ...endpoint }]);
  assert.deepEqual(orders, [], 'what changes nothing is not sent');
  fleet.setEndpoints(revision, []);
  fleet.removeRoute('default', 'hello');
  assert.deepEqual(
    orders.map(({ type }) => type),
    ['endpoints', 'routeRemoved'],
  );
});

test('only who has calls that wait hears of an Instance that loads its code', () => {
  const world = new World();
  const [waits, idle] = [world.join(), world.join()];
  waits.member.report({
    ...{ type: 'demand', called: [revision] },
    demand: { [revision]: demand({ queued: 1 }) },
  });
  for (const { orders } of [waits, idle]) orders.length = 0;
  const told = { type: 'endpoints', revision, endpoints: [] };
  world.fleet.setEndpoints(revision, [{ ...endpoint, starting: true }]);
  world.fleet.setEndpoints(revision, [{ ...endpoint, starting: true }]);
  assert.deepEqual(waits.orders, [{ ...told, starting: [endpoint] }]);
  assert.deepEqual(idle.orders, []);
  // It does not come after all.
  world.fleet.setEndpoints(revision, []);
  assert.deepEqual(waits.orders.slice(1), [told]);
  assert.deepEqual(idle.orders, []);
  world.fleet.setEndpoints(revision, [{ ...endpoint, starting: true }]);
  world.fleet.setEndpoints(revision, [endpoint]);
  const ready = { ...told, endpoints: [endpoint] };
  assert.deepEqual(waits.orders.slice(2), [{ ...told, starting: [endpoint] }, ready]);
  assert.deepEqual(idle.orders, [ready]);
  // Who has one that is ready calls that.
  world.fleet.setEndpoints(revision, [endpoint, { ...endpoint, id: 'next', starting: true }]);
  assert.deepEqual([waits.orders.length, idle.orders.length], [4, 1]);
});

test('of Instances that Gateways share out nobody hears before they are ready', () => {
  const world = new World();
  world.fleet.setRoutes([{ ...route, concurrencyLimit: 1 }]);
  const { member, orders } = world.join();
  member.report({
    ...{ type: 'demand', called: [revision] },
    demand: { [revision]: demand({ queued: 1 }) },
  });
  orders.length = 0;
  world.fleet.setEndpoints(revision, [{ ...endpoint, starting: true }]);
  assert.deepEqual(orders, []);
});

test('what Gateways measured is added up, and stays when they leave', () => {
  const world = new World();
  const one = world.join();
  const other = world.join();
  one.member.report({
    ...{ type: 'demand', called: [revision] },
    demand: { [revision]: demand({ inFlight: 1, queued: 2, arrivals: 3 }) },
  });
  other.member.report({
    ...{ type: 'demand', called: [] },
    demand: { [revision]: demand({ inFlight: 4, arrivals: 4 }) },
  });
  assert.deepEqual(world.called, [revision]);
  const { inFlight, queued, arrivals } = world.fleet.demandOf(revision);
  assert.deepEqual([inFlight, queued, arrivals], [5, 2, 7]);
  other.member.leave();
  const after = world.fleet.demandOf(revision);
  assert.deepEqual([after.inFlight, after.queued, after.arrivals], [1, 2, 7]);
});

test('a controller that is new hears what is called now, and counts from there', () => {
  const world = new World();
  const { member } = world.join({
    [revision]: demand({ inFlight: 2, arrivals: 900 }),
    'default/idle-1': demand({ arrivals: 5, idleMs: 60_000 }),
  });
  assert.deepEqual(world.called, [revision]);
  assert.equal(world.fleet.demandOf(revision).arrivals, 0);
  member.report({
    ...{ type: 'demand', called: [] },
    demand: { [revision]: demand({ inFlight: 2, arrivals: 910 }) },
  });
  assert.equal(world.fleet.demandOf(revision).arrivals, 10);
});

test('clocks of Gateways may differ: times are told as how long ago', async () => {
  const world = new World();
  const { member } = world.join();
  await world.clock.advance(60_000);
  member.report({
    ...{ type: 'demand', called: [] },
    demand: { [revision]: demand({ arrivals: 1, idleMs: 1_000 }) },
  });
  assert.equal(world.fleet.demandOf(revision).lastActiveMs, world.clock.now() - 1_000);
});

test('an Instance is drained once all Gateways say so, without those that are gone', async () => {
  const world = new World();
  const one = world.join();
  const other = world.join();
  let isDrained = false;
  const drained = world.fleet.drained(revision, endpoint.id, 30_000).then(() => {
    isDrained = true;
  });
  const order = one.orders.at(-1);
  assert.equal(order?.type, 'drain');
  if (order?.type === 'drain') one.member.report({ type: 'drained', id: order.id });
  await world.clock.advance(0);
  assert.equal(isDrained, false);
  other.member.leave();
  await drained;
  assert.equal(world.clock.timers, 0);
});

test('an Instance is drained in its time whatever Gateways say, and at once without any', async () => {
  const world = new World();
  await world.fleet.drained(revision, endpoint.id, 30_000);
  world.join();
  const drained = world.fleet.drained(revision, endpoint.id, 30_000);
  await world.clock.advance(31_000);
  await drained;
});

/** A Gateway that says at once that nothing is under way, but for what it is told to hold. */
class Calling {
  readonly member: FleetMember;
  endpoints: readonly string[] = [];
  /** Questions that are answered when calls are over. */
  readonly asked: number[] = [];
  isBusy = false;

  constructor({ fleet }: World, node?: string) {
    const orders: FleetOrder[] = [];
    this.member = fleet.join({ send: (order) => orders.push(order) }, {}, node);
    const hear = (order: FleetOrder): void => {
      if (order.type === 'endpoints') this.endpoints = order.endpoints.map(({ id }) => id);
      if (order.type !== 'drain') return;
      if (this.isBusy) this.asked.push(order.id);
      else queueMicrotask(() => this.member.report({ type: 'drained', id: order.id }));
    };
    for (const order of orders) hear(order);
    orders.push = (...more) => {
      for (const order of more) hear(order);
      return 0;
    };
  }

  waits(queued: number, inFlight: number): void {
    const measured = { [revision]: demand({ queued, inFlight, arrivals: 1 }) };
    this.member.report({ type: 'demand', called: [revision], demand: measured });
  }
}

test('an Instance with a hard limit is called by one Gateway at a time', async () => {
  const world = new World();
  const [one, other] = [new Calling(world), new Calling(world)];
  world.fleet.setRoutes([{ ...route, concurrencyLimit: 1 }]);
  world.fleet.setEndpoints(revision, [endpoint]);
  await world.clock.advance(0);
  assert.deepEqual([one.endpoints, other.endpoints], [[endpoint.id], []]);
  await world.clock.advance(1_000);
  one.isBusy = true;
  one.waits(0, 1);
  other.waits(1, 0);
  await world.clock.advance(0);
  assert.deepEqual([one.endpoints, other.endpoints], [[], []], 'its last call is still there');
  for (const id of one.asked) one.member.report({ type: 'drained', id });
  await world.clock.advance(0);
  assert.deepEqual([one.endpoints, other.endpoints], [[], [endpoint.id]]);
});

test('Instances of a Gateway that vanished among calls are given away when those are over', async () => {
  const world = new World();
  const [one, other] = [new Calling(world), new Calling(world)];
  world.fleet.setRoutes([{ ...route, concurrencyLimit: 1 }]);
  world.fleet.setEndpoints(revision, [endpoint]);
  await world.clock.advance(1_000);
  one.waits(0, 1);
  one.member.leave();
  await world.clock.advance(14_000);
  assert.deepEqual(other.endpoints, []);
  await world.clock.advance(2_000);
  assert.deepEqual(other.endpoints, [endpoint.id]);
});

test('many Instances with a hard limit are spread over Gateways', async () => {
  const world = new World();
  const all = [new Calling(world), new Calling(world), new Calling(world)];
  world.fleet.setRoutes([{ ...route, concurrencyLimit: 2 }]);
  const ids = ['a', 'b', 'c', 'd', 'e', 'f'];
  for (let count = 1; count <= ids.length; count++) {
    world.fleet.setEndpoints(
      revision,
      ids.slice(0, count).map((id) => ({ ...endpoint, id })),
    );
    await world.clock.advance(0);
  }
  assert.deepEqual(
    all.map(({ endpoints }) => endpoints.length),
    [2, 2, 2],
  );
  assert.deepEqual(all.flatMap(({ endpoints }) => endpoints).sort(), ids);
});

const [first, second] = [1, 2].map((node) => {
  return { id: `hello-1-${node}`, host: `10.0.0.${node}`, port: 8080 };
});
assert.ok(first && second);
const both = [first, second];

/** What a Gateway was told last of Instances: which are near, by their positions. */
function nearOf(orders: readonly FleetOrder[]): readonly (boolean | undefined)[] {
  const told = orders.findLast(({ type }) => type === 'endpoints');
  return told?.type === 'endpoints' ? told.endpoints.map(({ near }) => near) : [];
}

test('Gateways are told which Instances are in their zone, and how many they are there', () => {
  const world = new World();
  for (const node of ['1', 'g']) world.nodes.set(node, 'a');
  world.nodes.set('2', 'b');
  const joined = world.join({}, 'g');
  world.fleet.setEndpoints(revision, both);
  assert.deepEqual(nearOf(joined.orders), [true, false]);
  const late = world.join({}, '2');
  const nowhere = world.join();
  assert.deepEqual(nearOf(late.orders), [false, true]);
  assert.deepEqual(nearOf(nowhere.orders), [undefined, undefined], 'nobody knows where it is');
  joined.orders.length = 0;
  const beside = world.join({}, '1');
  assert.deepEqual(joined.orders, [{ type: 'zone', gateways: 2 }]);
  assert.deepEqual(beside.orders[0], { type: 'zone', gateways: 2 });
  beside.member.leave();
  assert.deepEqual(joined.orders.at(-1), { type: 'zone', gateways: 1 });
  assert.ok(!nowhere.orders.some(({ type }) => type === 'zone'));
});

test('a Node in another zone is told of where that changes something, and nowhere else', () => {
  const world = new World();
  const joined = world.join({}, 'g');
  world.fleet.setEndpoints(revision, both);
  world.fleet.setEndpoints('default/other-1', [second]);
  joined.orders.length = 0;
  world.fleet.onZones();
  assert.equal(joined.orders.length, 0, 'no Node is in a zone');
  for (const node of ['1', 'g']) world.nodes.set(node, 'a');
  world.nodes.set('2', 'b');
  world.fleet.onZones();
  const told = joined.orders.flatMap((order) =>
    order.type === 'endpoints' ? [[order.revision, nearOf([order])]] : [],
  );
  assert.deepEqual(told, [
    [revision, [true, false]],
    ['default/other-1', [false]],
  ]);
  joined.orders.length = 0;
  world.nodes.set('3', 'c');
  world.fleet.onZones();
  assert.equal(joined.orders.length, 0, 'nothing runs there');
  world.nodes.set('1', 'b');
  world.fleet.onZones();
  assert.deepEqual(nearOf(joined.orders), [false, false]);
  assert.equal(joined.orders.length, 1, 'the other Revision is where it was');
  world.nodes.set('g', 'b');
  world.fleet.onZones();
  assert.deepEqual(nearOf(joined.orders), [true]);
  world.nodes.clear();
  world.fleet.onZones();
  assert.deepEqual(nearOf(joined.orders), [undefined], 'the labels are gone');
});

test('Instances with a hard limit are given to Gateways of their zone', async () => {
  const world = new World();
  const nodes = ['1', '2'];
  for (const node of nodes) world.nodes.set(node, `zone ${node}`);
  const all = nodes.map((node) => new Calling(world, node));
  world.fleet.setRoutes([{ ...route, concurrencyLimit: 1 }]);
  world.fleet.setEndpoints(revision, both.toReversed());
  await world.clock.advance(0);
  assert.deepEqual(
    all.map(({ endpoints }) => endpoints),
    [[first.id], [second.id]],
  );
  all[0]?.member.leave();
  await world.clock.advance(0);
  assert.deepEqual(all[1]?.endpoints.toSorted(), [first.id, second.id], 'none is without a caller');
});
