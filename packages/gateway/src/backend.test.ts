import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom, VirtualClock } from '@fnlet/base';
import { Backend, type Waiter } from './backend.ts';
import { Balancer, type Placement } from './balancer.ts';
import { resolveGatewayLimits } from './limits.ts';
import { revisionFamilies } from './metering/revision-meter.ts';
import type { Upstream } from './upstream.ts';

class Call implements Waiter {
  readonly concurrencyLimit: number;
  readonly concurrencyTarget = 0;
  readonly affinity = undefined;
  upstream: Upstream | undefined;

  constructor(concurrencyLimit: number) {
    this.concurrencyLimit = concurrencyLimit;
  }

  onUpstream(upstream: Upstream): void {
    this.upstream = upstream;
  }

  onStarting(): void {}

  onOutage(): void {}

  onGone(): void {}
}

/** A backend without sockets: nothing here ever takes a connection. */
function backendOf(clock: VirtualClock): {
  readonly backend: Backend;
  readonly idle: () => number;
} {
  const context = {
    clock,
    balancer: new Balancer(seededRandom(1)),
    limits: resolveGatewayLimits(),
    readBuffer: Buffer.alloc(0),
  };
  let idle = 0;
  const backend = new Backend('default/hello-1', context, {
    onUnparked: () => {},
    onIdle: () => {
      idle++;
    },
  });
  return { backend, idle: () => idle };
}

const anywhere: Placement = {
  concurrencyLimit: 0,
  concurrencyTarget: 0,
  affinity: undefined,
};

const one = { id: 'one', socketPath: '/nowhere/1' };
const two = { id: 'two', socketPath: '/nowhere/2' };

test('parked calls leave in order, as far as the limit allows', () => {
  const clock = new VirtualClock();
  const { backend } = backendOf(clock);
  const calls = [new Call(1), new Call(1), new Call(1)];
  for (const call of calls) backend.park(call);
  backend.setEndpoints([one, two]);
  assert.deepEqual(
    calls.map(({ upstream }) => upstream?.endpoint.id),
    ['one', 'two', undefined],
  );
  // A newcomer does not overtake the one that waits.
  assert.equal(backend.acquire(anywhere, clock.monotonicMs()), undefined);
  const freed = calls[1]?.upstream;
  assert.ok(freed);
  backend.leave(freed, clock.monotonicMs());
  assert.equal(calls[2]?.upstream, freed);
});

test('an upstream that refused gets no call for a moment, and then those that wait', async () => {
  const clock = new VirtualClock();
  const { backend } = backendOf(clock);
  backend.setEndpoints([one]);
  const upstream = backend.acquire(anywhere, clock.monotonicMs());
  assert.ok(upstream);
  upstream.onFailure(clock.monotonicMs(), true);
  backend.leave(upstream, clock.monotonicMs());
  const call = new Call(0);
  assert.equal(backend.acquire(anywhere, clock.monotonicMs()), undefined);
  backend.park(call);
  await clock.advance(199);
  assert.equal(call.upstream, undefined);
  await clock.advance(1);
  assert.equal(call.upstream, upstream);
});

test('a retired upstream drains, and one that comes back under its name is another', async () => {
  const clock = new VirtualClock();
  const { backend } = backendOf(clock);
  backend.setEndpoints([one]);
  const old = backend.acquire(anywhere, clock.monotonicMs());
  assert.ok(old);
  backend.setEndpoints([]);
  const drained = backend.drained('one', 1000);
  backend.setEndpoints([one]);
  assert.notEqual(backend.acquire(anywhere, clock.monotonicMs()), old);
  backend.leave(old, clock.monotonicMs());
  await drained;
});

test('concurrency is summed over time: calls in flight, and waiting ones beside an Instance', async () => {
  const clock = new VirtualClock();
  const { backend, idle } = backendOf(clock);
  const waiting = new Call(1);
  backend.park(waiting);
  await clock.advance(1000);
  // Waiting for the first Instance says nothing about how many are needed.
  assert.equal(backend.demand().concurrencyMs, 0);
  backend.setEndpoints([one]);
  const next = new Call(1);
  backend.park(next);
  await clock.advance(100);
  assert.equal(backend.demand().concurrencyMs, 200);
  assert.deepEqual([backend.demand().inFlight, backend.demand().queued], [1, 1]);
  backend.cancel(next);
  await clock.advance(100);
  assert.equal(idle(), 0);
  if (waiting.upstream !== undefined) backend.leave(waiting.upstream, clock.monotonicMs());
  assert.equal(idle(), 1);
  const lastActiveMs = clock.now();
  await clock.advance(5000);
  const { concurrencyMs, lastActiveMs: reported } = backend.demand();
  assert.deepEqual([concurrencyMs, reported], [300, lastActiveMs]);
});

test('calls in flight and those that were answered are summed up apart from those that wait', async () => {
  const clock = new VirtualClock();
  const { backend } = backendOf(clock);
  backend.setEndpoints([one]);
  const first = new Call(1);
  const entered = backend.acquire(first, clock.monotonicMs());
  assert.ok(entered);
  backend.park(new Call(1));
  await clock.advance(100);
  backend.countServed(100);
  backend.leave(entered, clock.monotonicMs());
  await clock.advance(50);
  const { concurrencyMs, busyMs, served, servedMs } = backend.demand();
  assert.deepEqual(
    { concurrencyMs, busyMs, served, servedMs },
    {
      ...{ concurrencyMs: 250, busyMs: 150 },
      ...{ served: 1, servedMs: 100 },
    },
  );
});

const three = { id: 'three', socketPath: '/nowhere/3' };

/** Lets calls come to `endpointId` until one has, and makes that fail. */
function failAt(backend: Backend, endpointId: string, nowMs: number): boolean {
  for (let tries = 0; tries < 100; tries++) {
    const upstream = backend.acquire(anywhere, nowMs);
    if (upstream === undefined) return false;
    const isWanted = upstream.endpoint.id === endpointId;
    if (isWanted) upstream.onFailure(nowMs, false);
    else upstream.onSuccess(nowMs);
    backend.leave(upstream, nowMs);
    if (isWanted) return true;
  }
  return false;
}

test('an Instance whose calls fail in a row gets none, until its time is over', async () => {
  const clock = new VirtualClock();
  const { backend } = backendOf(clock);
  backend.setEndpoints([one, two, three]);
  for (let i = 0; i < 5; i++) assert.ok(failAt(backend, 'two', clock.monotonicMs()));
  assert.equal(failAt(backend, 'two', clock.monotonicMs()), false);
  // What the executor tells meanwhile is no reason to trust it again.
  backend.setEndpoints([one, two, three]);
  assert.equal(failAt(backend, 'two', clock.monotonicMs()), false);
  await clock.advance(5000);
  assert.ok(failAt(backend, 'two', clock.monotonicMs()));
  await clock.advance(9999);
  assert.equal(failAt(backend, 'two', clock.monotonicMs()), false);
  await clock.advance(1);
  assert.ok(failAt(backend, 'two', clock.monotonicMs()));
});

test('not all are ejected, and those that are left alone are pardoned', () => {
  const clock = new VirtualClock();
  const nowMs = clock.monotonicMs();
  const { backend } = backendOf(clock);
  backend.setEndpoints([one, two]);
  for (let i = 0; i < 5; i++) assert.ok(failAt(backend, 'two', nowMs));
  for (let i = 0; i < 9; i++) assert.ok(failAt(backend, 'one', nowMs));
  backend.setEndpoints([two]);
  assert.ok(failAt(backend, 'two', nowMs));
});

test('an ejected one serves parked calls again, one by one, until it has answered', async () => {
  const clock = new VirtualClock();
  const { backend } = backendOf(clock);
  backend.setEndpoints([one, two]);
  for (let i = 0; i < 5; i++) assert.ok(failAt(backend, 'two', clock.monotonicMs()));
  const calls = Array.from({ length: 12 }, () => new Call(4));
  for (const call of calls) {
    const upstream = backend.acquire(call, clock.monotonicMs());
    if (upstream === undefined) backend.park(call);
    else call.upstream = upstream;
  }
  const at = (id: string): number =>
    calls.filter(({ upstream }) => upstream?.endpoint.id === id).length;
  assert.deepEqual([at('one'), at('two')], [4, 0]);
  await clock.advance(5000);
  assert.deepEqual([at('one'), at('two')], [4, 1]);
  calls
    .find(({ upstream }) => upstream?.endpoint.id === 'two')
    ?.upstream?.onSuccess(clock.monotonicMs());
  assert.deepEqual([at('one'), at('two')], [4, 4]);
});

/** How many of 300 calls at once the newest of three gets, so long after it joined. */
async function shareOfNewest(afterMs: number): Promise<number> {
  const clock = new VirtualClock();
  const { backend } = backendOf(clock);
  backend.setEndpoints([one, two]);
  await clock.advance(60_000);
  backend.setEndpoints([one, two, three]);
  await clock.advance(afterMs);
  const names = Array.from({ length: 300 }, () => {
    return backend.acquire(anywhere, clock.monotonicMs())?.endpoint.id;
  });
  return names.filter((name) => name === 'three').length;
}

test('one that joins others gets a share that grows', async () => {
  const shares = await Promise.all([0, 1000, 2000, 3000].map(shareOfNewest));
  assert.deepEqual(
    shares,
    shares.toSorted((a, b) => a - b),
  );
  assert.ok((shares[0] ?? 0) > 5 && (shares[0] ?? 0) < 25, String(shares));
  assert.ok((shares[3] ?? 0) > 90, String(shares));
});

test('those that wake together share evenly at once', () => {
  const clock = new VirtualClock();
  const { backend } = backendOf(clock);
  backend.setEndpoints([one, two]);
  const nowMs = clock.monotonicMs();
  const names = Array.from({ length: 100 }, () => backend.acquire(anywhere, nowMs)?.endpoint.id);
  assert.ok(names.filter((name) => name === 'one').length > 45);
});

test('what is retried is paid for by what arrives', () => {
  const clock = new VirtualClock();
  const { backend } = backendOf(clock);
  const paid = (): number => {
    let count = 0;
    while (backend.payRetry(clock.monotonicMs())) count++;
    return count;
  };
  assert.equal(paid(), 100);
  assert.equal(paid(), 0);
  for (let i = 0; i < 50; i++) backend.countArrival();
  assert.equal(paid(), 10);
});

test('what is near is called first, wherever that is by now', () => {
  const { backend } = backendOf(new VirtualClock());
  const meter = backend.meter({ namespace: 'default', function: 'hello' });
  const aimed = { ...anywhere, concurrencyTarget: 2 };
  const call = (except?: Upstream): string => {
    const upstream = backend.acquire(aimed, 0, except);
    assert.ok(upstream);
    backend.leave(upstream, 0);
    return upstream.endpoint.id;
  };
  const calls = (): ReadonlySet<string> => new Set(Array.from({ length: 40 }, () => call()));
  backend.setEndpoints([one, two]);
  assert.deepEqual([...calls()].sort(), ['one', 'two'], 'nobody knows of zones');
  backend.setEndpoints([
    { ...one, near: false },
    { ...two, near: true },
  ]);
  assert.deepEqual([...calls()], ['two']);
  const busy = [backend.acquire(aimed, 0), backend.acquire(aimed, 0)];
  assert.deepEqual([...calls()], ['one'], 'the near one is at its target');
  for (const upstream of busy) if (upstream !== undefined) backend.leave(upstream, 0);
  backend.setEndpoints([
    { ...one, near: true },
    { ...two, near: false },
  ]);
  assert.deepEqual([...calls()], ['one'], 'a Node is in another zone');
  backend.setEndpoints([
    { ...one, near: true },
    { ...two, near: true },
  ]);
  assert.equal(calls().size, 2);
  const [counted] = revisionFamilies((into) => meter.collect(into)).filter(
    ({ name }) => name === 'fnlet_zone_requests_total',
  );
  const found = counted?.samples.map(({ labels, value }) => [labels.zone, value]);
  assert.deepEqual(found, [
    ['same', 40 + 2 + 40 + 40],
    ['other', 40],
  ]);
});

test('another attempt of a call goes anywhere but where the first one was', () => {
  const { backend } = backendOf(new VirtualClock());
  const three = { id: 'three', socketPath: '/nowhere/3' };
  backend.setEndpoints([
    { ...one, near: true },
    { ...two, near: true },
    { ...three, near: false },
  ]);
  const first = backend.acquire(anywhere, 0);
  const others = new Set(
    Array.from({ length: 40 }, () => {
      const upstream = backend.acquire(anywhere, 0, first);
      if (upstream !== undefined) backend.leave(upstream, 0);
      return upstream?.endpoint.id;
    }),
  );
  assert.ok(others.has('three'), 'what failed may be the zone');
  assert.ok(!others.has(first?.endpoint.id));
});
