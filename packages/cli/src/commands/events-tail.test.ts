import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatHappeningLine } from './events-tail.ts';

const event = { specversion: '1.0', id: '7', source: '/shop', type: 'order' };
const time = '2026-03-01T10:00:00.000Z';
const line = { time, kind: 'Trigger', namespace: 'default', name: 'orders' };

test('a line of events says when, what came of it, where, and which event', () => {
  assert.equal(
    formatHappeningLine({ ...line, outcome: 'accepted', event: { ...event, subject: 'a' } }),
    '2026-03-01T10:00:00.000Z  accepted       orders  order  7  /shop  a\n',
  );
  const failed = { ...line, kind: 'Broker', outcome: 'delivered', code: 200 };
  assert.equal(
    formatHappeningLine({ ...failed, event: { ...event, data: { a: 1 } } }),
    '2026-03-01T10:00:00.000Z  delivered 200  broker/orders  order  7  /shop\n    {"a":1}\n',
  );
  assert.equal(formatHappeningLine({ missed: 4 }), '4 events came too fast to be shown\n');
});
