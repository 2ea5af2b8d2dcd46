import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '@fnlet/base';
import { planCall } from './plan-call.ts';

const chance = { random: seededRandom(1), nowMs: Date.UTC(2026, 0, 2, 3, 4, 5, 678) };
const form = 'application/x-www-form-urlencoded';

const cases: readonly (readonly [string | undefined, string, string])[] = [
  [undefined, 'GET', form],
  ['{"a":1}', 'POST', 'application/json'],
  ['[1]', 'POST', form],
  ['a=1', 'POST', form],
  ['', 'POST', form],
];

for (const [data, method, type] of cases) {
  test(`planCall() sends ${data} with ${method} as ${type}`, () => {
    const call = planCall(data, chance);
    const { 'event-id': id = '', ...headers } = call.headers;
    assert.equal(call.method, method);
    assert.equal(call.body, data);
    assert.match(id, /^[\w-]{15}$/);
    assert.deepEqual(headers, {
      'event-time': '2026-01-02T03:04:05Z',
      'event-namespace': 'cli.kubeless.io',
      'event-type': type,
      'content-type': type,
    });
  });
}
