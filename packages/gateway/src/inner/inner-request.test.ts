import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Invocation } from '@fnlet/invocation';
import fc from 'fast-check';
import { Rejection } from '../http1/rejection.ts';
import { type GatewayLimits, resolveGatewayLimits } from '../limits.ts';
import { parsedHead, plainHead } from './inner-request.ts';

const limits: GatewayLimits = resolveGatewayLimits({ headBytesMax: 400, fieldsMax: 6 });

const name = fc.oneof(
  fc.constantFrom('Prefer', 'accept', 'Host', 'Connection', 'te', 'Expect', 'content-length'),
  fc.constantFrom('X_Fnlet_Auth', 'x-fnlet-consumer', 'traceparent', 'x-request-id', 'Keep-Alive'),
  fc.constantFrom('ce-id', 'ce-type', 'Content-Type', 'idempotency-key', 'x-fnlet-attempt'),
  fc.string({ maxLength: 6 }),
);
const value = fc.oneof(
  fc.constantFrom('', ' reply', 'reply ', 'a  b', 'close', '\u00e4', '\u00a0', 'a\r\nX: y', '12'),
  fc.string({ maxLength: 90 }),
);
const invocation: fc.Arbitrary<Invocation> = fc.record({
  namespace: fc.constantFrom('default', 'Default', 'a b'),
  function: fc.constantFrom('hello', 'tag-hello', 'h\u00e4'),
  method: fc.constantFrom('POST', 'GET', 'HEAD', 'CONNECT', 'what'),
  target: fc.constantFrom('/', '/a', ''),
  headers: fc.array(fc.tuple(name, value), { maxLength: 7 }),
  body: fc.constantFrom(new Uint8Array(), Buffer.from('body')),
  remoteAddress: fc.constant('127.0.0.1'),
  answerBytesMax: fc.constant(1),
  timeoutMs: fc.constant(1),
});

test('plainHead() makes of a call what the parser does, or leaves it to that', () => {
  let plain = 0;
  const check = (call: Invocation): void => {
    const head = plainHead(call, limits);
    if (head === undefined) return;
    plain++;
    assert.deepEqual(head, parsedHead(call, limits));
  };
  fc.assert(fc.property(invocation, check), { seed: 1, numRuns: 20_000 });
  assert(plain > 100, `${plain} calls were plain`);
});

test('plainHead() takes calls as those of events are', () => {
  const call: Invocation = {
    namespace: 'default',
    function: 'count',
    method: 'POST',
    target: '/',
    headers: [
      ['ce-id', '1'],
      ['content-type', 'text/plain'],
      ['prefer', 'reply'],
      ['x-fnlet-attempt', '1'],
    ],
    body: Buffer.from('body'),
    remoteAddress: '127.0.0.1',
    answerBytesMax: 1,
    timeoutMs: 1,
  };
  const head = plainHead(call, limits);
  assert(head !== undefined && !(head instanceof Rejection));
  assert.equal(head.fields.known.get('content-length'), '4');
});
