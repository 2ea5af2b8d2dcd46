import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isJsonObject, seededRandom, silentLogger, VirtualClock } from '@fnlet/base';
import { createClient, type TransportRequest } from '@fnlet/client';
import { type KubeObject, statusError } from '@fnlet/machinery';
import { createScriptedTransport, type Script } from '../test/scripted-transport.ts';
import { createEventRecorder, type EventRecorder } from './event-recorder.ts';
import type { Happening } from './kube-event.ts';

const object: KubeObject = {
  apiVersion: 'fnlet.dev/v1alpha1',
  kind: 'Function',
  metadata: { name: 'hello', namespace: 'default', uid: 'u1' },
};

const ready: Happening = { type: 'Normal', reason: 'Ready', message: 'It is ready' };

interface Recording {
  readonly clock: VirtualClock;
  readonly recorder: EventRecorder;
  readonly requests: TransportRequest[];
  stop(): Promise<void>;
}

function start(script: Script = ({ body }) => body): Recording {
  const clock = new VirtualClock();
  const requests: TransportRequest[] = [];
  const transport = createScriptedTransport((request) => {
    requests.push(request);
    return script(request);
  });
  const recorder = createEventRecorder({
    client: createClient(transport, { fieldManager: 'test', clock }),
    component: 'fnlet',
    clock,
    random: seededRandom(1),
    logger: silentLogger,
  });
  const abort = new AbortController();
  const running = recorder.run(abort.signal);
  return {
    clock,
    recorder,
    requests,
    async stop() {
      abort.abort();
      await clock.advance(10_000);
      await running;
      assert.equal(clock.timers, 0);
    },
  };
}

// Whatever is written exists afterwards.
function echo({ method, body }: TransportRequest): unknown {
  const patched = { apiVersion: 'v1', kind: 'Event', metadata: { name: 'hello.x' } };
  return method === 'PATCH' && isJsonObject(body) ? { ...patched, ...body } : body;
}

test('a happening becomes an Event as kubectl describe reads it', async () => {
  const { clock, recorder, requests, stop } = start();
  recorder.record(object, ready);
  await clock.advance(0);
  assert.equal(requests.length, 1);
  assert.equal(requests[0]?.path, '/api/v1/namespaces/default/events');
  const event = requests[0]?.body;
  assert.ok(isJsonObject(event));
  assert.deepEqual(event.involvedObject, {
    apiVersion: 'fnlet.dev/v1alpha1',
    kind: 'Function',
    name: 'hello',
    namespace: 'default',
    uid: 'u1',
  });
  assert.equal(event.reason, 'Ready');
  assert.equal(event.count, 1);
  assert.equal(event.lastTimestamp, '2026-01-01T00:00:00Z');
  await stop();
});

test('repetitions raise the count of one Event', async () => {
  const { clock, recorder, requests, stop } = start(echo);
  for (let i = 0; i < 3; i++) recorder.record(object, ready);
  await clock.advance(1000);
  assert.equal(requests.length, 1);
  assert.ok(isJsonObject(requests[0]?.body));
  assert.equal(requests[0]?.body.count, 3);
  recorder.record(object, ready);
  await clock.advance(0);
  assert.equal(requests.length, 2);
  assert.equal(requests[1]?.method, 'PATCH');
  assert.deepEqual(requests[1]?.body, { count: 4, lastTimestamp: '2026-01-01T00:00:01Z' });
  recorder.record(object, { ...ready, message: 'Other' });
  await clock.advance(0);
  assert.equal(requests[2]?.method, 'POST');
  await stop();
});

test('a repetition after ten minutes, or of an expired Event, is a new one', async () => {
  const { clock, recorder, requests, stop } = start((request) => {
    if (request.method === 'PATCH') throw statusError('NotFound', 'expired');
    return request.body;
  });
  recorder.record(object, ready);
  await clock.advance(1000);
  recorder.record(object, ready);
  await clock.advance(0);
  assert.deepEqual(
    requests.map(({ method }) => method),
    ['POST', 'PATCH', 'POST'],
  );
  await clock.advance(600_000);
  recorder.record(object, ready);
  await clock.advance(0);
  assert.equal(requests.at(-1)?.method, 'POST');
  assert.equal(requests.length, 4);
  await stop();
});

test('a failing API delays Events and never throws at whoever records', async () => {
  let failures = 3;
  const { clock, recorder, requests, stop } = start(({ body }) => {
    if (failures-- > 0) throw statusError('InternalError', 'broken');
    return body;
  });
  recorder.record(object, ready);
  await clock.advance(10_000);
  assert.equal(requests.length, 4);
  await stop();
});

test('an Event in a namespace that is gone is given up at once', async () => {
  const { clock, recorder, requests, stop } = start(() => {
    throw statusError('NotFound', 'namespaces "default" not found');
  });
  recorder.record(object, ready);
  await clock.advance(10_000);
  assert.equal(requests.length, 1);
  await stop();
});

test('a storm loses Events beyond the bound, not memory', async () => {
  const { clock, recorder, requests, stop } = start();
  for (let i = 0; i < 1500; i++) {
    const metadata = { ...object.metadata, name: `f${i}`, uid: `u${i}` };
    recorder.record({ ...object, metadata }, ready);
  }
  await clock.advance(0);
  await stop();
  assert.equal(requests.length, 1000);
});

test('what happens to one object all the time is told 25 times, then once in five minutes', async () => {
  const { clock, recorder, requests, stop } = start(echo);
  const say = async (): Promise<void> => {
    recorder.record(object, ready);
    await clock.advance(1000);
  };
  for (let i = 0; i < 40; i++) await say();
  assert.equal(requests.length, 25);
  recorder.record({ ...object, metadata: { name: 'other', namespace: 'default' } }, ready);
  await clock.advance(0);
  assert.equal(requests.length, 26);
  await clock.advance(300_000);
  await say();
  await say();
  assert.equal(requests.length, 27);
  // With those that nobody was told of.
  assert.ok(isJsonObject(requests[26]?.body));
  assert.equal(requests[26].body.count, 41);
  await stop();
});

test('what is recorded before the end is still written', async () => {
  const { recorder, requests, stop } = start();
  recorder.record(object, ready);
  recorder.record(object, { ...ready, reason: 'Other' });
  await stop();
  assert.equal(requests.length, 2);
});

test('Events of one moment sort by name in the order in which they were recorded', async () => {
  const { clock, recorder, requests, stop } = start();
  const reasons = ['Created', 'Ready', 'Asleep', 'Awake'];
  for (const reason of reasons) recorder.record(object, { ...ready, reason });
  await clock.advance(0);
  await stop();
  const written = requests.map(({ body }) => {
    assert.ok(isJsonObject(body) && isJsonObject(body.metadata));
    return { name: String(body.metadata.name), reason: body.reason };
  });
  const sorted = written.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  assert.deepEqual(
    sorted.map(({ reason }) => reason),
    reasons,
  );
});

test('many that differ in their message only become one, which tells the last', async () => {
  const { clock, recorder, requests, stop } = start(echo);
  for (let i = 1; i <= 13; i++) recorder.record(object, { ...ready, message: `try ${i}` });
  recorder.record(object, { ...ready, message: 'try 1' });
  await clock.advance(0);
  const told = requests.map(({ body }) => isJsonObject(body) && `${body.message} x${body.count}`);
  assert.equal(told.length, 11);
  assert.equal(told[0], 'try 1 x2');
  assert.equal(told[10], '(combined from similar events): try 13 x3');
  recorder.record(object, { ...ready, message: 'try 14' });
  await clock.advance(0);
  const last = requests.at(-1);
  assert.equal(last?.method, 'PATCH');
  assert.ok(isJsonObject(last?.body));
  assert.equal(last.body.message, '(combined from similar events): try 14');
  assert.equal(last.body.count, 4);
  await clock.advance(600_000);
  recorder.record(object, { ...ready, message: 'try 15' });
  await clock.advance(0);
  assert.ok(isJsonObject(requests.at(-1)?.body));
  assert.match(JSON.stringify(requests.at(-1)?.body), /"message":"try 15"/);
  await stop();
});
