import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom, VirtualClock } from '@fnlet/base';
import { Backend, type Waiter } from './backend.ts';
import { resolveGatewayLimits } from './limits.ts';
import type { Upstream } from './upstream.ts';

class Call implements Waiter {
  readonly concurrencyLimit: number;
  upstream: Upstream | undefined;

  constructor(concurrencyLimit: number) {
    this.concurrencyLimit = concurrencyLimit;
  }

  onUpstream(upstream: Upstream): void {
    this.upstream = upstream;
  }

  onStarting(): void {}

  onOutage(): void {}
}

/** A backend without sockets: nothing here ever takes a connection. */
function backendOf(clock: VirtualClock): {
  readonly backend: Backend;
  readonly idle: () => number;
} {
  const context = {
    clock,
    random: seededRandom(1),
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
  assert.equal(backend.acquire(0, clock.monotonicMs()), undefined);
  const freed = calls[1]?.upstream;
  assert.ok(freed);
  backend.leave(freed, clock.monotonicMs());
  assert.equal(calls[2]?.upstream, freed);
});

test('an ejected upstream gets no call until its time is over', async () => {
  const clock = new VirtualClock();
  const { backend } = backendOf(clock);
  backend.setEndpoints([one]);
  const upstream = backend.acquire(0, clock.monotonicMs());
  assert.ok(upstream);
  backend.eject(upstream);
  backend.leave(upstream, clock.monotonicMs());
  const call = new Call(0);
  assert.equal(backend.acquire(0, clock.monotonicMs()), undefined);
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
  const old = backend.acquire(0, clock.monotonicMs());
  assert.ok(old);
  backend.setEndpoints([]);
  const drained = backend.drained('one');
  backend.setEndpoints([one]);
  assert.notEqual(backend.acquire(0, clock.monotonicMs()), old);
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
