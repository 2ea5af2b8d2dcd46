import assert from 'node:assert/strict';
import { test } from 'node:test';
import { randomInt, seededRandom } from '@fnlet/base';
import { DeliverySlots, type SlotLimits, type SlotUser } from './delivery-slots.ts';

const bounds = { inFlightMax: 4, bytesMax: 1_000, begunPerTurn: 100 };

/** Somebody with so many events to send. */
class Sender {
  readonly slot: SlotUser;
  left: number;
  readonly #onBegin: () => void;

  constructor(slots: DeliverySlots, events: number, onBegin: () => void = () => {}) {
    this.left = events;
    this.#onBegin = onBegin;
    this.slot = slots.open(() => {
      this.#begin();
      return this.left > 0;
    });
  }

  /** Begins as many as it may. */
  send(): void {
    while (this.#begin()) {}
  }

  #begin(): boolean {
    if (this.left === 0 || !this.slot.take()) return false;
    this.left--;
    this.#onBegin();
    return true;
  }
}

function world(limits: Partial<SlotLimits> = {}) {
  const turns: (() => void)[] = [];
  const slots = new DeliverySlots(
    { ...bounds, ...limits },
    { nextTurn: (callback) => turns.push(callback) },
  );
  const turn = (): void => {
    for (const callback of turns.splice(0)) callback();
  };
  return { slots, turn };
}

test('DeliverySlots bounds what is under way, and hands what is over on in turn', () => {
  const { slots } = world();
  const [a, b, c] = [3, 3, 3].map((events) => new Sender(slots, events));
  assert.ok(a !== undefined && b !== undefined && c !== undefined);
  a.send();
  b.send();
  assert.deepEqual([a.slot.inFlight, b.slot.inFlight, slots.inFlight], [3, 1, 4]);
  c.send();
  assert.equal(c.slot.inFlight, 1, 'whoever has none may begin one');
  a.slot.give(0);
  assert.deepEqual([a.slot.inFlight, b.slot.inFlight, c.slot.inFlight], [2, 1, 1]);
  a.slot.give(0);
  assert.deepEqual([a.slot.inFlight, b.slot.inFlight, c.slot.inFlight], [1, 2, 1]);
  b.slot.give(0);
  assert.deepEqual([a.slot.inFlight, b.slot.inFlight, c.slot.inFlight], [1, 1, 2]);
});

test('DeliverySlots serves who has more than an equal share after the others', () => {
  const { slots } = world();
  const slow = new Sender(slots, 100);
  slow.send();
  assert.equal(slow.slot.inFlight, 4);
  const quick = new Sender(slots, 100);
  quick.send();
  assert.equal(quick.slot.inFlight, 1);
  for (let n = 0; n < 3; n++) slow.slot.give(0);
  assert.deepEqual([slow.slot.inFlight, quick.slot.inFlight], [2, 2]);
});

test('DeliverySlots begins so many in a turn, and the others in the next ones', () => {
  const { slots, turn } = world({ begunPerTurn: 2, inFlightMax: 100 });
  const sender = new Sender(slots, 5);
  sender.send();
  assert.equal(slots.inFlight, 2);
  sender.slot.give(0);
  assert.equal(slots.inFlight, 1, 'not in the same turn');
  turn();
  assert.equal(slots.inFlight, 3);
  turn();
  assert.deepEqual([slots.inFlight, sender.left], [4, 0]);
});

test('DeliverySlots begins none while bodies take all the room', () => {
  const { slots } = world({ inFlightMax: 100 });
  const [large, small] = [new Sender(slots, 2), new Sender(slots, 2)];
  large.send();
  large.slot.hold(1_000);
  small.send();
  assert.equal(small.slot.inFlight, 1, 'but one of each');
  large.slot.give(1_000);
  assert.equal(small.slot.inFlight, 2);
});

test('DeliverySlots lets everybody come to an end, whatever the order', () => {
  for (let seed = 1; seed <= 200; seed++) {
    const random = seededRandom(seed);
    const limits = {
      inFlightMax: 1 + randomInt(random, 6),
      begunPerTurn: 1 + randomInt(random, 4),
    };
    const { slots, turn } = world(limits);
    let begun = 0;
    const senders = Array.from(
      { length: 1 + randomInt(random, 5) },
      () => new Sender(slots, randomInt(random, 30), () => begun++),
    );
    const wanted = senders.reduce((sum, { left }) => sum + left, 0);
    for (const sender of senders) sender.send();
    for (let step = 0; begun < wanted || slots.inFlight > 0; step++) {
      assert.ok(step < 10_000, `seed ${seed}: ${wanted - begun} never begin`);
      assert.ok(slots.inFlight <= limits.inFlightMax + senders.length, `seed ${seed}`);
      const busy = senders.filter(({ slot }) => slot.inFlight > 0);
      const ended = busy[randomInt(random, Math.max(1, busy.length))];
      if (ended === undefined || random.next() < 0.3) turn();
      else ended.slot.give(0);
    }
  }
});
