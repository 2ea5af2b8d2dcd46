import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VirtualClock } from '@fnlet/base';
import type { TransportRequest } from '@fnlet/client';
import { createScriptedTransport } from '../../test/scripted-transport.ts';
import { RunTrace, tracedTransport } from './run-trace.ts';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const read: TransportRequest = { method: 'GET', path: '/api', headers: { accept: 'x' } };

test('requests of a run carry its traceparent, whatever they wait for; those of nobody have none', async () => {
  const clock = new VirtualClock();
  const seen: unknown[] = [];
  const transport = tracedTransport(
    createScriptedTransport(({ headers }) => {
      seen.push(headers);
      return {};
    }),
  );
  const traces = ['1', '2'].map((last) => new RunTrace(`${traceId.slice(1)}${last}`, clock));
  await Promise.all(
    traces.map((trace) =>
      trace.within(async () => {
        await Promise.resolve();
        await transport.request(read);
      }),
    ),
  );
  await transport.request(read);
  assert.deepEqual(seen, [
    { accept: 'x', traceparent: '00-af7651916cd43dd8448eb211c80319c1-af7651916cd43dd8-01' },
    { accept: 'x', traceparent: '00-af7651916cd43dd8448eb211c80319c2-af7651916cd43dd8-01' },
    { accept: 'x' },
  ]);
  assert.deepEqual(
    traces.map((trace) => trace.summary().requests),
    [1, 1],
  );
});

test('a summary tells how long each phase took, all its parts together, also one that failed', async () => {
  const clock = new VirtualClock();
  const trace = new RunTrace(traceId, clock);
  const take = (ms: number): Promise<void> => clock.advance(ms);
  await trace.phase('children', () => take(20));
  await assert.rejects(
    trace.phase('status', async () => {
      await take(5);
      throw new Error('refused');
    }),
  );
  assert.equal(await trace.phase('children', async () => 'kept'), 'kept');
  await trace.phase('children', () => take(1));
  await take(4);
  assert.deepEqual(trace.summary(), { tookMs: 30, requests: 0, childrenMs: 21, statusMs: 5 });
});
