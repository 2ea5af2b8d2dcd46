import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '@fnlet/base';
import { isUndecided, readTraceContext } from '@fnlet/invocation';
import { CallTracer, type Trace } from './trace.ts';

const parent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

function trace(fields: Readonly<Record<string, string>>): Trace {
  return new CallTracer(seededRandom(3), seededRandom(4)).trace(new Map(Object.entries(fields)));
}

test('trace() passes on what the caller sent', () => {
  assert.deepEqual(trace({ 'x-request-id': 'a-1', traceparent: parent }), {
    requestId: 'a-1',
    traceparent: parent,
  });
});

test('trace() passes on a position in words of a later version', () => {
  for (const later of [`cc${parent.slice(2)}`, `cc${parent.slice(2)}-what-will-be`]) {
    assert.equal(trace({ traceparent: later }).traceparent, later);
  }
  for (const broken of [`${parent}-more`, `cc${parent.slice(2)}.more`, `cc${parent.slice(2)}0`]) {
    assert.notEqual(trace({ traceparent: broken }).traceparent, broken);
  }
});

test('trace() passes on what others say about the trace of the caller, and of no other', () => {
  const tracestate = 'a=1,b=2';
  assert.equal(trace({ traceparent: parent, tracestate }).tracestate, tracestate);
  assert.equal(
    trace({ 'x-request-id': 'a', traceparent: parent, tracestate }).tracestate,
    tracestate,
  );
  assert.equal(trace({ traceparent: 'broken', tracestate }).tracestate, undefined);
  assert.equal(trace({ tracestate }).tracestate, undefined);
  assert.equal(trace({ traceparent: parent, tracestate: '' }).tracestate, undefined);
});

test('trace() leaves it to whoever records traces to sample what it names', () => {
  const isOpen = ({ traceparent }: Trace): boolean => {
    const position = readTraceContext({ traceparent }, () => '');
    return position !== undefined && isUndecided(position);
  };
  assert.equal(isOpen(trace({})), true);
  assert.equal(isOpen(trace({ 'x-request-id': 'a-1' })), true);
  assert.equal(isOpen(trace({ traceparent: parent })), false);
  assert.equal(isOpen(trace({ traceparent: parent.replace(/01$/, '00') })), false);
});

test('trace() makes what is missing or not sane', () => {
  const made = trace({});
  assert.match(made.traceparent, /^00-[\da-f]{32}-[\da-f]{16}-00$/);
  assert.equal(made.traceparent.split('-')[1], made.requestId);
  for (const id of ['', 'a b', 'a\xff', 'a'.repeat(129), 'a, b', '<x>']) {
    assert.notEqual(trace({ 'x-request-id': id }).requestId, id);
  }
  for (const broken of [
    parent.toUpperCase(),
    parent.replace('00-', 'ff-'),
    parent.replace(/4bf\w*/, '0'.repeat(32)),
    parent.replace('00f067aa0ba902b7', '0'.repeat(16)),
    `${parent}, ${parent}`,
  ]) {
    assert.notEqual(trace({ traceparent: broken }).traceparent, broken);
  }
});

test('no two calls of a Gateway, and no two Gateways, share an id', () => {
  const one = new CallTracer(seededRandom(3), seededRandom(4));
  const other = new CallTracer(seededRandom(3), seededRandom(5));
  const ids = Array.from({ length: 1000 }, () => [one, other].map(idOf)).flat();
  assert.equal(new Set(ids).size, 2000);
  assert.ok(ids.every((id) => /^[\da-f]{32}$/.test(id)));
});

test('the first eight characters, which logs show, tell the calls of a Gateway apart', () => {
  const tracer = new CallTracer(seededRandom(3), seededRandom(4));
  const marks = Array.from({ length: 10_000 }, () => idOf(tracer).slice(0, 8));
  assert.equal(new Set(marks).size, 10_000);
});

function idOf(tracer: CallTracer): string {
  return tracer.trace(new Map()).requestId;
}
