import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasCode } from '@fnlet/base';
import type { EventHappening } from './event-happening.ts';
import { EventTail } from './event-tail.ts';
import { tailLimits } from './limits.ts';

function happening(more: Partial<EventHappening> = {}): EventHappening {
  const named = { specversion: '1.0', id: '7', source: '/shop', type: 'order' } as const;
  const attributes = { ...named, datacontenttype: 'application/json' };
  return {
    ...{ timeMs: 0, kind: 'Trigger', namespace: 'default', name: 'orders', outcome: 'accepted' },
    event: { attributes, data: Buffer.from('{"a":1}') },
    ...more,
  };
}

const all = { withData: false };

test('who watches is told what they want, with data where they want it', async () => {
  const tail = new EventTail();
  const abort = new AbortController();
  assert.equal(tail.isWatched, false);
  const plain = tail.watch({ ...all, kind: 'Trigger', name: 'orders' }, abort.signal);
  const whole = tail.watch({ withData: true, namespace: 'shop' }, abort.signal);
  assert.equal(tail.isWatched, true);
  tail.tell(happening({ outcome: 'failed', code: 500 }));
  tail.tell(happening({ kind: 'Broker' }));
  tail.tell(happening({ name: 'others' }));
  tail.tell(happening({ namespace: 'shop', name: 'others' }));
  abort.abort();
  const read = async (lines: AsyncIterable<string>): Promise<unknown[]> =>
    (await Array.fromAsync(lines))
      .join('')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line));
  const event = {
    ...{ specversion: '1.0', id: '7', source: '/shop', type: 'order' },
    datacontenttype: 'application/json',
  };
  const where = { time: '1970-01-01T00:00:00.000Z', kind: 'Trigger' };
  assert.deepEqual(await read(plain), [
    { ...where, namespace: 'default', name: 'orders', outcome: 'failed', code: 500, event },
  ]);
  const [told] = await read(whole);
  assert.deepEqual(Object(told).event, { ...event, data: { a: 1 } });
  assert.equal(tail.isWatched, false);
});

test('what finds no room is told as a number', async () => {
  const tail = new EventTail();
  const abort = new AbortController();
  const lines = tail.watch(all, abort.signal);
  for (let count = 0; count < tailLimits.waitingMax + 5; count++) tail.tell(happening());
  abort.abort();
  const text = (await Array.fromAsync(lines)).join('');
  assert.match(text, /\n\{"missed":5\}\n$/);
  assert.equal(text.split('\n').length, tailLimits.waitingMax + 2);
});

test('only so many watch at once', () => {
  const tail = new EventTail();
  const abort = new AbortController();
  for (let count = 0; count < tailLimits.watchersMax; count++) tail.watch(all, abort.signal);
  assert.throws(
    () => tail.watch(all, abort.signal),
    (error) => hasCode(error, 'TooMany'),
  );
  abort.abort();
  assert.equal(tail.isWatched, false);
});
