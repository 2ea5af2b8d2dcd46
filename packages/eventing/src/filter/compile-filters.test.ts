import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AttributeFilter, EventFilter } from '@fnlet/api';
import fc from 'fast-check';
import type { EventAttributes } from '../event/cloud-event.ts';
import { compileFilters } from './compile-filters.ts';

const event: EventAttributes = {
  ...{ specversion: '1.0', id: '7', source: '/orders', type: 'com.example.order.created' },
  ...{ priority: 3, urgent: true },
};

function passes(...filters: readonly EventFilter[]): boolean {
  return compileFilters(filters)(event);
}

test('exact, prefix and suffix compare texts, capitals included, and each attribute counts', () => {
  assert.ok(passes({ exact: { source: '/orders', id: '7' } }));
  assert.ok(!passes({ exact: { source: '/orders', id: '8' } }));
  assert.ok(!passes({ exact: { source: '/Orders' } }));
  assert.ok(passes({ prefix: { type: 'com.example.' } }));
  assert.ok(!passes({ prefix: { type: 'Com.' } }));
  assert.ok(passes({ suffix: { type: '.created' } }));
  assert.ok(!passes({ suffix: { type: '.create' } }));
});

test('numbers and booleans are compared as they are written', () => {
  assert.ok(passes({ exact: { priority: '3', urgent: 'true' } }));
  assert.ok(passes({ prefix: { urgent: 'tr' } }, { suffix: { priority: '3' } }));
});

test('an attribute that is missing matches nothing, so not of it passes', () => {
  assert.ok(!passes({ exact: { subject: 'x' } }));
  assert.ok(passes({ not: { exact: { subject: 'x' } } }));
  assert.ok(!passes({ prefix: { constructor: 'function' } }));
});

test('filters are joined by and; no filter lets everything pass', () => {
  assert.ok(passes());
  assert.ok(passes({ exact: { id: '7' } }, { prefix: { source: '/' } }));
  assert.ok(!passes({ exact: { id: '7' } }, { prefix: { source: '//' } }));
});

test('all, any and not combine', () => {
  const yes: AttributeFilter = { exact: { id: '7' } };
  const no: AttributeFilter = { exact: { id: '8' } };
  assert.ok(passes({ any: [no, yes] }));
  assert.ok(!passes({ any: [no, no] }));
  assert.ok(!passes({ all: [yes, no] }));
  assert.ok(passes({ not: { all: [{ exact: { id: '7' } }, { exact: { id: '8' } }] } }));
});

test('an expression that fails for an event lets it not pass, within not either', () => {
  const fails: EventFilter = { cesql: 'missing = 1' };
  assert.ok(passes({ cesql: "priority > 2 AND type LIKE '%.order.%'" }));
  assert.ok(!passes(fails));
  assert.ok(!passes({ not: { cesql: 'missing = 1' } }));
  assert.ok(passes({ any: [{ cesql: 'missing = 1' }, { exact: { id: '7' } }] }));
  assert.ok(!passes({ not: { all: [{ cesql: 'missing = 1' }, { exact: { id: '7' } }] } }));
  assert.ok(!passes({ cesql: 'id' }));
});

test('any is what De Morgan says of all and not', () => {
  const leaf = fc.constantFrom<AttributeFilter>(
    ...[{ exact: { id: '7' } }, { exact: { id: '8' } }, { cesql: 'missing = 1' }],
  );
  fc.assert(
    fc.property(fc.array(leaf, { minLength: 1, maxLength: 4 }), (leaves) => {
      const none = leaves.map((inner) => ({ not: inner }));
      assert.equal(passes({ not: { any: leaves } }), passes(...none));
      assert.equal(passes({ not: { all: leaves } }), passes({ any: none }));
    }),
  );
});

test('what cannot be meant is refused, and told where it stands', () => {
  const refused: readonly (readonly [EventFilter, RegExp])[] = [
    [{ exact: { Type: 'x' } }, /Cannot read filters\[0\].exact: found the name "Type"/],
    [{ cesql: 'id =' }, /filters\[0\].cesql: Cannot read CESQL expression: found its end/],
    [{ not: { cesql: 'NOPE(id)' } }, /filters\[0\].not.cesql: found the function NOPE/],
    [{ any: [{ cesql: '1 + priority' }] }, /filters\[0\].any\[0\].cesql: .*of type Integer/],
    [{}, /found no filter/],
  ];
  for (const [filter, message] of refused) {
    assert.throws(() => compileFilters([filter]), { code: 'InvalidFilter', message });
  }
});
