import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '@fnlet/base';
import {
  type Circuit,
  closedCircuit,
  decideCircuit,
  endProbe,
  mayPass,
  passCircuit,
} from './decide-circuit.ts';

const limits = { circuitEvents: 3, circuitBaseMs: 500, circuitCapMs: 30_000 };
const random = seededRandom(1);

function find(circuit: Circuit, sequence: number, isDown: boolean): Circuit {
  return findAt(0)(circuit, sequence, isDown);
}

function findAt(nowMs: number): typeof find {
  const context = { windowMax: 4, nowMs, random, limits };
  return (circuit, sequence, isDown) =>
    decideCircuit(circuit, { sequence, isDown, wishedMs: 0 }, context);
}

function opened(nowMs = 0): Circuit {
  return [1, 2, 3].reduce((circuit, sequence) => findAt(nowMs)(circuit, sequence, true), closed);
}

const closed = closedCircuit(4);

test('several events in a row that find the target down open it', () => {
  assert.equal(find(find(closed, 1, true), 2, true).state, 'closed');
  const circuit = opened(1_000);
  assert.equal(circuit.state, 'open');
  assert.ok(circuit.probeMs >= 1_250 && circuit.probeMs <= 1_500, String(circuit.probeMs));
});

test('one event, however often it is tried, does not open it', () => {
  let circuit = closed;
  for (let n = 0; n < 10; n++) circuit = find(circuit, 7, true);
  assert.equal(circuit.state, 'closed');
});

test('an answer in between begins the count anew', () => {
  let circuit = closed;
  for (let n = 0; n < 10; n++) circuit = find(find(find(circuit, 1, true), 2, true), 3, false);
  assert.equal(circuit.state, 'closed');
});

test('while it is open nothing passes, then one', () => {
  const circuit = opened();
  assert.equal(mayPass(circuit, 0, circuit.probeMs - 1), false);
  assert.equal(mayPass(circuit, 2, circuit.probeMs), true);
  assert.equal(mayPass(passCircuit(circuit, 9), 0, circuit.probeMs), false);
});

test('a probe that fails doubles the wait, up to its bound', () => {
  let circuit = opened();
  const waits: number[] = [];
  for (let n = 0; n < 12; n++) {
    const nowMs = circuit.probeMs;
    circuit = findAt(nowMs)(passCircuit(circuit, 9), 9, true);
    waits.push(circuit.probeMs - nowMs);
  }
  assert.ok((waits[0] ?? 0) <= 1_000 && (waits.at(-1) ?? 0) >= 15_000, waits.join(' '));
  assert.ok(waits.every((wait) => wait <= 30_000));
});

test('what was sent before says nothing about a probe', () => {
  const probing = passCircuit(opened(), 9);
  assert.equal(find(probing, 4, true), probing);
  assert.equal(find(opened(), 4, true).state, 'open');
});

test('any answer closes it; then one goes, and more as it goes well', () => {
  let circuit = find(passCircuit(opened(), 9), 9, false);
  assert.deepEqual([circuit.state, circuit.window], ['closed', 1]);
  assert.deepEqual([mayPass(circuit, 0, 0), mayPass(circuit, 1, 0)], [true, false]);
  for (let n = 0; n < 9; n++) circuit = find(circuit, n, false);
  assert.equal(circuit.window, 4);
  assert.equal(find(opened(), 4, false).state, 'closed');
});

test('a target that is well changes nothing', () => {
  assert.equal(find(closed, 1, false), closed);
});

test('a probe that was not sent makes room for another', () => {
  const probing = passCircuit(opened(), 9);
  assert.equal(endProbe(probing, 8), probing);
  assert.equal(mayPass(endProbe(probing, 9), 0, probing.probeMs), true);
});

test('Retry-After of the target is waited for', () => {
  const context = { windowMax: 4, nowMs: 0, random, limits };
  const probing = passCircuit(opened(), 9);
  const finding = { sequence: 9, isDown: true, wishedMs: 3_600_000 };
  assert.equal(decideCircuit(probing, finding, context).probeMs, 3_600_000);
});
