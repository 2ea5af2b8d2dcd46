/** What a Gateway knows of its controller, over a way that has neither sockets nor time. */
import assert from 'node:assert/strict';
import { duplexPair } from 'node:stream';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { seededRandom, silentLogger, VirtualClock } from '@fnlet/base';
import { createGateway, type Endpoint } from '@fnlet/gateway';
import { FleetLink } from './fleet-link.ts';

test('routes count while all was told and the controller is heard', async () => {
  const clock = new VirtualClock();
  const ways = [duplexPair(), duplexPair()];
  let dialled = 0;
  const gateway = createGateway({
    ...{ clock, random: seededRandom(1), logger: silentLogger, onDemand: () => {} },
  });
  const link = new FleetLink({
    dial: async () => {
      const way = ways[dialled++];
      assert.ok(way, 'it dials once for each controller');
      return way[0];
    },
    ...{ replica: 'gateway', gateway, clock, logger: silentLogger },
  });
  const stop = new AbortController();
  const running = link.run(stop.signal);
  const say = async (controller: number, message: object): Promise<void> => {
    ways[controller]?.[1].write(`${JSON.stringify(message)}\n`);
    await setImmediate();
    await setImmediate();
  };
  await setImmediate();
  await say(0, { type: 'beat' });
  assert.equal(link.isCurrent, false, 'nothing was told yet');
  await say(0, { type: 'complete' });
  assert.equal(link.isCurrent, true);
  await clock.advance(2_600);
  assert.equal(link.isCurrent, false, 'a silent controller may lead no more');
  await say(0, { type: 'beat' });
  assert.equal(link.isCurrent, true);
  ways[0]?.[1].destroy();
  await setImmediate();
  await clock.advance(2_000);
  await setImmediate();
  await say(1, { type: 'beat' });
  assert.equal(dialled, 2);
  assert.equal(link.isCurrent, false, 'the next controller has not told all');
  await say(1, { type: 'complete' });
  assert.equal(link.isCurrent, true);
  stop.abort();
  await running;
  await gateway.close({ graceMs: 0 });
});

test('a Gateway hears with how many it shares a zone, and goes past what it does not know', async () => {
  const clock = new VirtualClock();
  const [here, there] = duplexPair();
  const counts: number[] = [];
  const gateway = createGateway({
    ...{ clock, random: seededRandom(1), logger: silentLogger, onDemand: () => {} },
  });
  gateway.setNearGateways = (count) => counts.push(count);
  const link = new FleetLink({
    dial: async () => here,
    ...{ replica: 'gateway', gateway, clock, logger: silentLogger },
  });
  const stop = new AbortController();
  const running = link.run(stop.signal);
  await setImmediate();
  const orders = [{ type: 'zone', gateways: 3 }, { type: 'racks' }, { type: 'complete' }];
  there.write(orders.map((order) => `${JSON.stringify(order)}\n`).join(''));
  await link.told;
  assert.deepEqual(counts, [3]);
  stop.abort();
  await running;
  await gateway.close({ graceMs: 0 });
});

test('a Gateway connects to what loads its code, and takes nothing for that which it is not', async () => {
  const clock = new VirtualClock();
  const [here, there] = duplexPair();
  const told: (readonly Endpoint[])[] = [];
  const gateway = createGateway({
    ...{ clock, random: seededRandom(1), logger: silentLogger, onDemand: () => {} },
  });
  gateway.setEndpoints = (_, endpoints) => told.push(endpoints);
  const link = new FleetLink({
    dial: async () => here,
    ...{ replica: 'gateway', gateway, clock, logger: silentLogger },
  });
  const stop = new AbortController();
  const running = link.run(stop.signal);
  await setImmediate();
  const one = { id: 'a', host: '10.0.0.1', port: 8080 };
  const orders = [
    { type: 'endpoints', revision: 'default/r', endpoints: [], starting: [one] },
    { type: 'endpoints', revision: 'default/r', endpoints: [one], starting: 'soon' },
    { type: 'complete' },
  ];
  there.write(orders.map((order) => `${JSON.stringify(order)}\n`).join(''));
  await link.told;
  assert.deepEqual(told, [[{ ...one, starting: true }], [one]]);
  stop.abort();
  await running;
  await gateway.close({ graceMs: 0 });
});
