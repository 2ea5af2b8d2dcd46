import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VirtualClock } from '@fnlet/base';
import type { Invocation, InvocationAnswer, InvocationFailure } from '@fnlet/invocation';
import type { CloudEvent } from '../event/cloud-event.ts';
import type { DeliveryAttempt } from './event-target.ts';
import { createFunctionTarget, type FunctionTargetOptions } from './function-target.ts';
import { createUrlTarget, type EventPost } from './url-target.ts';

const event: CloudEvent = {
  attributes: {
    specversion: '1.0',
    id: '7',
    source: '/shop',
    type: 'order',
    datacontenttype: 'application/json',
  },
  data: Buffer.from('{"a":1}'),
};
const attempt: DeliveryAttempt = { events: [event], attempt: 2, idempotencyKey: 'key' };
const never = new AbortController().signal;

function functionTarget(
  outcome: InvocationAnswer | InvocationFailure,
  options: Partial<FunctionTargetOptions> = {},
) {
  const calls: Invocation[] = [];
  const target = createFunctionTarget({
    invoke: async (invocation) => {
      calls.push(invocation);
      return outcome;
    },
    namespace: 'default',
    function: 'hello',
    timeoutMs: 5_000,
    format: 'binary',
    isBatch: false,
    ...options,
  });
  return { target, calls };
}

const answered: InvocationAnswer = {
  kind: 'answered',
  status: 200,
  headers: [['Content-Type', 'text/plain']],
  body: Buffer.from('yes'),
  truncated: false,
};

test('a Function gets the data as its body and the attributes as headers', async () => {
  const { target, calls } = functionTarget(answered);
  const answer = await target.deliver(attempt, never);
  assert.deepEqual(answer, {
    status: 200,
    headers: { 'content-type': 'text/plain' },
    body: answered.body,
  });
  const [call] = calls;
  assert.deepEqual(Object.fromEntries(call?.headers ?? []), {
    'ce-specversion': '1.0',
    'ce-id': '7',
    'ce-source': '/shop',
    'ce-type': 'order',
    'content-type': 'application/json',
    prefer: 'reply',
    'idempotency-key': 'key',
    'x-fnlet-attempt': '2',
  });
  assert.deepEqual(
    [call?.namespace, call?.function, call?.method, call?.target, call?.timeoutMs],
    ['default', 'hello', 'POST', '/', 5_000],
  );
  assert.equal(Buffer.from(call?.body ?? []).toString(), '{"a":1}');
});

test('a tag is called by its own name', async () => {
  const { target, calls } = functionTarget(answered, { tag: 'next' });
  await target.deliver(attempt, never);
  assert.equal(calls[0]?.function, 'next-hello');
});

test('structured events are one JSON object, batches an array even of one', async () => {
  const structured = functionTarget(answered, { format: 'structured' });
  await structured.target.deliver(attempt, never);
  const batch = functionTarget(answered, { isBatch: true });
  await batch.target.deliver(attempt, never);
  const read = ({ calls }: typeof batch): unknown =>
    JSON.parse(Buffer.from(calls[0]?.body ?? []).toString());
  const written = { ...event.attributes, data: { a: 1 } };
  assert.deepEqual(read(structured), written);
  assert.deepEqual(read(batch), [written]);
});

test('what the Gateway says of a Function that it cannot reach is an answer too', async () => {
  const { target } = functionTarget({
    kind: 'failed',
    status: 503,
    reason: 'QueueFull',
    message: 'Too many calls wait',
    reached: false,
    retryAfterMs: 1_500,
  });
  const { status, headers, trouble } = await target.deliver(attempt, never);
  assert.deepEqual(
    [status, headers, trouble],
    [503, { 'retry-after': '2' }, 'Too many calls wait'],
  );
});

test('a URL gets the message, and no answer in time is 408, none at all 0', async () => {
  const clock = new VirtualClock();
  const posts: EventPost[] = [];
  const target = (post: (signal: AbortSignal) => Promise<never>) =>
    createUrlTarget({
      port: {
        post: (message, signal) => {
          posts.push(message);
          return post(signal);
        },
      },
      url: 'https://example.com/in',
      timeoutMs: 10_000,
      clock,
      format: 'binary',
      isBatch: false,
    });
  const hangs = target(
    (signal) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(new Error('aborted')));
      }),
  );
  const late = hangs.deliver(attempt, never);
  await clock.advance(10_000);
  assert.equal((await late).status, 408);
  const broken = target(async () => {
    throw new Error('ECONNREFUSED');
  });
  const { status, trouble } = await broken.deliver(attempt, never);
  assert.deepEqual([status, trouble], [0, 'ECONNREFUSED']);
  assert.deepEqual([posts[0]?.url, posts[0]?.headers['ce-id']], ['https://example.com/in', '7']);
  assert.equal(clock.timers, 0);
});
