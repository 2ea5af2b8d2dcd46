/** What holds for asynchronous calls whatever store they are kept in. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { formatMetrics, hasCode } from '@fnlet/base';
import type { Store } from '@fnlet/store';
import type { AsyncCallErrorCode } from '../src/async.ts';
import {
  AsyncWorld,
  type AsyncWorldOptions,
  answer,
  inTurn,
  type Outcome,
  unreached,
} from './async-world.ts';

export interface StorePlace {
  /** Opens the store; again after `close`, what was written is there. */
  open(): Promise<Store>;
}

type Given = Omit<AsyncWorldOptions, 'store'>;

export function testAsyncCallsContract(name: string, makePlace: () => StorePlace): void {
  async function begin(t: TestContext, given: Given = {}): Promise<AsyncWorld> {
    const store = await makePlace().open();
    const world = new AsyncWorld({ ...given, store });
    t.after(async () => {
      await world.close();
      await store.close();
    });
    return world;
  }

  describe(`asynchronous calls in ${name}`, () => {
    it('accepts a call at once, delivers it with its id, and keeps what was answered', async (t) => {
      const world = await begin(t, { function: () => answer(201, 'made', [['X-Own', '1']]) });
      const accepted = await world.accept({ 'X-Given': 'yes', Prefer: 'respond-async' });
      assert.equal(accepted.state, 'queued');
      const done = await world.untilState(accepted.id, 'succeeded');
      assert.deepEqual([done.status, done.attempts], [201, 1]);
      const [invocation] = world.invocations;
      assert.equal(invocation?.target, '/path?query');
      assert.deepEqual(invocation.headers, [
        ['X-Given', 'yes'],
        ['X-Call-Id', accepted.id],
        ['X-Call-Attempt', '1'],
      ]);
      const kept = world.calls.answer(accepted.id);
      assert.deepEqual(
        [kept.status, kept.headers, kept.body.text],
        [201, [['X-Own', '1']], 'made'],
      );
    });

    it('tells how many calls it keeps, by state, and how much room they take', async (t) => {
      const world = await begin(t);
      const metrics = (): string => formatMetrics(world.calls.metrics());
      assert.match(metrics(), /^fnlet_async_calls\{state="queued"\} 0$/m);
      assert.match(metrics(), /^fnlet_async_calls_bytes 0$/m);
      const { id } = await world.accept();
      await world.untilState(id, 'succeeded');
      assert.match(metrics(), /^fnlet_async_calls\{state="succeeded"\} 1$/m);
      assert.match(metrics(), /^fnlet_async_calls_bytes [1-9]\d+$/m);
    });

    it('counts what waits for each function, and no longer what is over', async (t) => {
      const world = await begin(t);
      const lag = (name: string): number => world.calls.lagOf({ namespace: 'default', name });
      const ids = [
        await world.accept(),
        await world.accept(),
        await world.accept({}, { name: 'b' }),
      ];
      assert.deepEqual([lag('hello'), lag('b'), lag('c')], [2, 1, 0]);
      for (const { id } of ids) await world.untilState(id, 'succeeded');
      assert.deepEqual([lag('hello'), lag('b')], [0, 0]);
    });

    it('keeps bodies that are no text octet for octet', async (t) => {
      const octets = Uint8Array.from({ length: 256 }, (_, n) => n);
      const world = await begin(t, {
        function: ({ body }) => ({ ...asAnswered(answer(200)), body }),
      });
      const { id } = await world.calls.accept({
        namespace: 'default',
        function: 'hello',
        method: 'POST',
        target: '/',
        headers: [],
        body: octets,
        remoteAddress: '',
      });
      await world.untilState(id, 'succeeded');
      assert.deepEqual(Buffer.from(world.invocations[0]?.body ?? []), Buffer.from(octets));
      const { base64 = '' } = world.calls.answer(id).body;
      assert.deepEqual(Buffer.from(base64, 'base64'), Buffer.from(octets));
    });

    it('tries again after an error, and says when', async (t) => {
      const world = await begin(t, { function: inTurn(answer(500), answer(200, 'at last')) });
      const { id } = await world.accept();
      const retrying = await world.untilState(id, 'retrying');
      assert.equal(retrying.lastError?.status, 500);
      assert.ok(Date.parse(retrying.nextAttemptAt ?? '') > world.clock.now());
      const done = await world.untilState(id, 'succeeded', 100);
      assert.equal(done.attempts, 2);
      assert.equal(done.lastError, undefined);
      const attempts = world.invocations.map(({ headers }) =>
        new Map(headers).get('X-Call-Attempt'),
      );
      assert.deepEqual(attempts, ['1', '2']);
    });

    it('fails when the attempts are used up, and keeps the last answer', async (t) => {
      const world = await begin(t, { function: () => answer(503, 'no') });
      const { id } = await world.accept({ 'X-Call-Attempts': '2' });
      const failed = await world.untilState(id, 'failed', 100);
      assert.deepEqual([failed.attempts, failed.attemptsMax, failed.status], [2, 2, 503]);
      assert.equal(world.calls.answer(id).body.text, 'no');
      assert.equal(world.invocations.length, 2);
    });

    it('expires where there will be no try before the deadline', async (t) => {
      const world = await begin(t, { function: () => unreached() });
      const { id } = await world.accept({ 'X-Call-Deadline': '10s' });
      const expired = await world.untilState(id, 'expired', 100);
      assert.equal(expired.attempts, 0);
      assert.equal(expired.lastError?.reason, 'QueueFull');
      assert.ok(world.invocations.length > 2);
      refuses(() => world.calls.answer(id), 'NotFound');
    });

    it('gives a try no longer than the deadline leaves', async (t) => {
      const world = await begin(t);
      await world.accept({ 'X-Call-Deadline': '10s' });
      await world.until(() => world.invocations.length === 1);
      assert.equal(world.invocations[0]?.timeoutMs, 10_000);
    });

    it('cancels what waits, and nothing else', async (t) => {
      const world = await begin(t, { function: () => answer(500) });
      const waiting = await world.accept();
      await world.untilState(waiting.id, 'retrying');
      assert.equal((await world.calls.cancel(waiting.id)).state, 'cancelled');
      assert.equal((await world.calls.cancel(waiting.id)).state, 'cancelled');
      await world.clock.advance(60_000);
      assert.equal(world.invocations.length, 1);
      await rejects(world.calls.cancel('unknown'), 'NotFound');
    });

    it('does not cancel what runs or is over', async (t) => {
      const pending = Promise.withResolvers<Outcome>();
      const world = await begin(t, { function: () => pending.promise });
      const { id } = await world.accept();
      await world.untilState(id, 'running');
      await rejects(world.calls.cancel(id), 'Running');
      refuses(() => world.calls.answer(id), 'NotFinished');
      pending.resolve(answer(200));
      await world.untilState(id, 'succeeded');
      await rejects(world.calls.cancel(id), 'Finished');
      await rejects(world.calls.redrive(id), 'Finished');
    });

    it('tries a failed call anew when asked to', async (t) => {
      const world = await begin(t, { function: inTurn(answer(404), answer(200)) });
      const { id } = await world.accept();
      await world.untilState(id, 'failed');
      const anew = await world.calls.redrive(id);
      assert.deepEqual([anew.id, anew.state, anew.attempts], [id, 'queued', 0]);
      await world.untilState(id, 'succeeded');
      assert.equal(world.invocations.length, 2);
    });

    it('gives the same call for the same key and request, at the same time too', async (t) => {
      const world = await begin(t);
      const key = { 'Idempotency-Key': '"order-1"' };
      const both = await Promise.all([world.accept(key), world.accept(key)]);
      const later = await world.accept({ 'idempotency-key': 'order-1' });
      assert.deepEqual(new Set([...both, later].map(({ id }) => id)).size, 1);
      await world.untilState(later.id, 'succeeded');
      assert.equal(world.invocations.length, 1);
      assert.equal(new Map(world.invocations[0]?.headers).get('Idempotency-Key'), '"order-1"');
    });

    it('refuses a key that stands for another request', async (t) => {
      const world = await begin(t);
      const key = { 'Idempotency-Key': 'a' };
      const first = await world.accept(key);
      await rejects(world.accept(key, { body: 'other' }), 'KeyReused');
      await rejects(world.accept(key, { method: 'PUT' }), 'KeyReused');
      // Of another Function, it is another key.
      assert.notEqual((await world.accept(key, { name: 'other' })).id, first.id);
    });

    it('keeps the keys of callers apart that a route tells apart', async (t) => {
      const world = await begin(t);
      const by = (auth: string, consumer: string) => ({
        ...{ 'Idempotency-Key': 'a', 'X-Fnlet-Auth': auth, 'x-fnlet-consumer': consumer },
      });
      const ann = await world.accept(by('basic', 'ann'));
      assert.equal((await world.accept(by('basic', 'ann'))).id, ann.id);
      const others = [by('basic', 'bob'), by('jwt', 'ann'), { 'Idempotency-Key': 'a' }];
      for (const other of others) assert.notEqual((await world.accept(other)).id, ann.id);
    });

    it('forgets a call when its time is over, and its key with it', async (t) => {
      const world = await begin(t, { limits: { keptMs: 60_000 } });
      const key = { 'Idempotency-Key': 'a' };
      const { id } = await world.accept(key);
      await world.untilState(id, 'succeeded');
      await world.clock.advance(59_000);
      assert.equal(world.calls.find(id).state, 'succeeded');
      await world.clock.advance(1_000);
      refuses(() => world.calls.find(id), 'NotFound');
      assert.notEqual((await world.accept(key, { body: 'other' })).id, id);
    });

    it('keeps no more calls that are over than it may', async (t) => {
      const world = await begin(t, { limits: { finishedMax: 2 } });
      const ids: string[] = [];
      for (let n = 0; n < 4; n++) {
        const { id } = await world.accept();
        ids.push(id);
        await world.untilState(id, 'succeeded');
      }
      const listed = (): readonly string[] =>
        world.calls.list({ namespace: 'default', limit: 10 }).map(({ id }) => id);
      await world.until(() => listed().length === 2);
      assert.deepEqual(listed(), [ids[3], ids[2]]);
    });

    it('takes no more calls than its bounds allow, and again when there is room', async (t) => {
      const pending = Promise.withResolvers<Outcome>();
      const limits = { queuedPerFunctionMax: 2, queuedMax: 3 };
      const world = await begin(t, { limits, function: () => pending.promise });
      const [first] = await Promise.all([world.accept(), world.accept()]);
      await rejects(world.accept(), 'FunctionQueueFull');
      await world.accept({}, { name: 'other' });
      await rejects(world.accept({}, { name: 'third' }), 'QueueFull');
      pending.resolve(answer(200));
      await world.untilState(first.id, 'succeeded');
      assert.equal((await world.accept()).state, 'queued');
    });

    it('takes no more octets than it may, and forgets what is over first', async (t) => {
      const pending = Promise.withResolvers<Outcome>();
      const world = await begin(t, {
        limits: { bytesMax: 5_000 },
        function: () => pending.promise,
      });
      const large = { body: 'x'.repeat(4_000) };
      const first = await world.accept({}, large);
      await rejects(world.accept({}, large), 'StoreFull');
      pending.resolve(answer(200));
      await world.untilState(first.id, 'succeeded');
      const second = await world.accept({}, large);
      await world.untilState(second.id, 'succeeded');
      refuses(() => world.calls.find(first.id), 'NotFound');
    });

    it('calls back when a call is over, again if need be', async (t) => {
      let tries = 0;
      const world = await begin(t, {
        function: () => answer(200, '{"n":1}', [['Content-Type', 'application/json']]),
        onCallback: () => (++tries < 3 ? 503 : 200),
      });
      const { id } = await world.accept({ 'X-Callback-Url': 'https://example.com/done' });
      await world.until(() => world.calls.find(id).callback?.state === 'delivered', 100);
      assert.equal(world.callbacks.length, 3);
      const [message] = world.callbacks;
      assert.equal(message?.url, 'https://example.com/done');
      assert.equal(Buffer.from(message.body).toString(), '{"n":1}');
      const headers = new Map(message.headers);
      assert.equal(headers.get('X-Call-Id'), id);
      assert.equal(headers.get('X-Call-State'), 'succeeded');
      assert.equal(headers.get('X-Function-Status'), '200');
      assert.equal(headers.get('Content-Type'), 'application/json');
    });

    it('calls back with all that it takes to read the answer', async (t) => {
      const fields = [
        ['content-encoding', 'gzip'],
        ['Content-Language', 'de'],
        ['Set-Cookie', 'a=1'],
      ] as const;
      const world = await begin(t, {
        function: () => ({ ...answer(200, 'half of', fields), truncated: true }),
      });
      await world.accept({ 'X-Callback-Url': 'https://example.com/done' });
      await world.until(() => world.callbacks.length === 1, 100);
      const headers = new Map(world.callbacks[0]?.headers);
      assert.equal(headers.get('Content-Encoding'), 'gzip');
      assert.equal(headers.get('Content-Language'), 'de');
      assert.equal(headers.get('Content-Length'), '7');
      assert.equal(headers.get('X-Call-Truncated'), 'true');
      assert.equal(headers.has('Set-Cookie'), false);
    });

    it('calls back about calls that came to nothing, too', async (t) => {
      const world = await begin(t, { function: () => unreached() });
      const url = { 'X-Callback-Url': 'https://example.com/done' };
      const { id } = await world.accept({ ...url, 'X-Call-Deadline': '2s' });
      await world.until(() => world.callbacks.length === 1, 100);
      assert.equal(new Map(world.callbacks[0]?.headers).get('X-Call-State'), 'expired');
      assert.match(Buffer.from(world.callbacks[0]?.body ?? []).toString(), /Too many calls wait/);
      assert.equal(world.calls.find(id).state, 'expired');
    });

    it('gives a callback up that is refused, or fails too often', async (t) => {
      const world = await begin(t, {
        limits: { callbackAttempts: 3 },
        onCallback: ({ url }) => (url.endsWith('/gone') ? 410 : 500),
      });
      const gone = await world.accept({ 'X-Callback-Url': 'https://example.com/gone' });
      const down = await world.accept({ 'X-Callback-Url': 'https://example.com/down' });
      const callbackOf = (id: string) => world.calls.find(id).callback;
      await world.until(() => callbackOf(down.id)?.state === 'failed', 100);
      assert.equal(callbackOf(gone.id)?.attempts, 1);
      assert.deepEqual(
        [callbackOf(down.id)?.attempts, callbackOf(down.id)?.message],
        [3, 'It answered 500'],
      );
    });

    it('refuses what makes no sense before anything is kept', async (t) => {
      const world = await begin(t);
      for (const headers of [
        { 'X-Call-Attempts': '0' },
        { 'X-Call-Attempts': '21' },
        { 'X-Call-Attempts': 'many' },
        { 'X-Call-Deadline': '25h' },
        { 'X-Call-Deadline': '0' },
        { 'X-Callback-Url': 'ftp://example.com/' },
        { 'X-Callback-Url': 'https://user:pass@example.com/' },
        { 'Idempotency-Key': '' },
        { 'Idempotency-Key': 'x'.repeat(3_000) },
      ]) {
        await rejects(world.accept(headers), 'InvalidRequest');
      }
      await rejects(world.accept({ 'X-Callback-Url': 'http://forbidden/' }), 'CallbackRefused');
      assert.deepEqual(world.calls.list({ namespace: 'default', limit: 10 }), []);
    });

    it('does not let one function keep the others from theirs', async (t) => {
      const hung = new Promise<Outcome>(() => {});
      const world = await begin(t, {
        limits: { graceMs: 0 },
        function: ({ function: called }, signal) =>
          called === 'hangs' ? Promise.race([hung, aborted(signal)]) : answer(200),
      });
      for (let n = 0; n < 100; n++) await world.accept({}, { name: 'hangs' });
      const { id } = await world.accept();
      await world.untilState(id, 'succeeded');
    });

    it('leaves a function alone that cannot be reached, instead of trying all that wait', async (t) => {
      let isDown = true;
      const world = await begin(t, { function: () => (isDown ? unreached() : answer(200)) });
      const calls = await Promise.all(Array.from({ length: 100 }, () => world.accept()));
      await world.untilState(calls[0]?.id ?? '', 'retrying');
      const endMs = world.clock.now() + 120_000;
      await world.until(() => world.clock.now() >= endMs, 500);
      assert.ok(world.invocations.length < 30, `${world.invocations.length} tries`);
      isDown = false;
      for (const { id } of calls) await world.untilState(id, 'succeeded', 500);
    });

    it('lists by Function and state, the last first, and has no timer while nothing waits', async (t) => {
      const world = await begin(t, {
        function: ({ function: called }) => answer(called === 'bad' ? 400 : 200),
      });
      const bad = await world.accept({}, { name: 'bad' });
      const good = await world.accept();
      await world.untilState(good.id, 'succeeded');
      await world.untilState(bad.id, 'failed');
      const ids = (query: object): readonly string[] =>
        world.calls.list({ namespace: 'default', limit: 10, ...query }).map(({ id }) => id);
      assert.deepEqual(ids({}), [good.id, bad.id]);
      assert.deepEqual(ids({ phase: 'failed' }), [bad.id]);
      assert.deepEqual(ids({ function: 'hello' }), [good.id]);
      assert.deepEqual(ids({ limit: 1 }), [good.id]);
      assert.deepEqual(ids({ namespace: 'other' }), []);
      assert.equal(world.clock.timers, 0);
    });

    it('goes on after a restart where it was', async (t) => {
      const place = makePlace();
      const before = await place.open();
      const world = new AsyncWorld({ store: before, function: () => answer(500) });
      const key = { 'Idempotency-Key': 'k', 'X-Call-Attempts': '2' };
      const { id } = await world.accept(key);
      await world.untilState(id, 'retrying');
      await world.close();
      await rejects(world.accept(), 'Closing');
      await before.close();
      const after = await place.open();
      const { clock } = world;
      const next = new AsyncWorld({ store: after, clock });
      t.after(async () => {
        await next.close();
        await after.close();
      });
      assert.equal(next.calls.find(id).state, 'retrying');
      assert.equal((await next.accept(key)).id, id);
      const done = await next.untilState(id, 'succeeded', 100);
      assert.equal(done.attempts, 2);
      assert.equal(new Map(next.invocations[0]?.headers).get('X-Call-Attempt'), '2');
    });

    it('makes up for a try that its end interrupted, or says that it could not', async (t) => {
      const place = makePlace();
      const before = await place.open();
      const world = new AsyncWorld({
        store: before,
        limits: { graceMs: 1_000 },
        function: (_, signal) => aborted(signal),
      });
      const again = await world.accept();
      const once = await world.accept({ 'X-Call-Attempts': '1' });
      await world.untilState(once.id, 'running');
      await world.untilState(again.id, 'running');
      await world.close();
      await before.close();
      const after = await place.open();
      const next = new AsyncWorld({ store: after, clock: world.clock });
      t.after(async () => {
        await next.close();
        await after.close();
      });
      const lost = next.calls.find(once.id);
      assert.deepEqual([lost.state, lost.lastError?.reason], ['failed', 'Interrupted']);
      const done = await next.untilState(again.id, 'succeeded', 100);
      assert.equal(done.attempts, 2);
      assert.equal(next.invocations.length, 1);
    });
  });
}

function asAnswered(outcome: Outcome): Outcome & { kind: 'answered' } {
  assert(outcome.kind === 'answered');
  return outcome;
}

/** What the Gateway says of a call that is given up. */
function aborted(signal: AbortSignal): Promise<Outcome> {
  const why = {
    reason: 'CallAborted',
    message: 'given up',
    reached: true,
    retryAfterMs: undefined,
  };
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve({ kind: 'failed', status: 503, ...why }));
  });
}

function refuses(run: () => unknown, code: AsyncCallErrorCode): void {
  assert.throws(run, (error) => hasCode(error, code));
}

function rejects(promise: Promise<unknown>, code: AsyncCallErrorCode): Promise<void> {
  return assert.rejects(promise, (error) => hasCode(error, code) || reveal(error));
}

function reveal(error: unknown): false {
  throw error;
}
