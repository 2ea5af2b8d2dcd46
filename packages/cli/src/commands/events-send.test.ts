import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planEvent } from './events-send.ts';

const flags = { type: 'order', source: '/shop', id: '1', attribute: [] };
const base = { specversion: '1.0', id: '1', source: '/shop', type: 'order' };

test('planEvent() sends JSON as JSON, text as text, and anything else in base64', () => {
  assert.deepEqual(planEvent(flags, undefined), base);
  const json = { ...base, datacontenttype: 'application/json', data: { a: 1 } };
  assert.deepEqual(planEvent(flags, '{"a":1}'), json);
  const text = { ...base, datacontenttype: 'text/plain', data: 'hello' };
  assert.deepEqual(planEvent(flags, 'hello'), text);
  const bytes = { ...base, datacontenttype: 'application/octet-stream', data_base64: '/w==' };
  assert.deepEqual(planEvent(flags, Uint8Array.of(255)), bytes);
  const typed = planEvent({ ...flags, contentType: 'application/xml' }, '<a/>');
  assert.deepEqual(typed, { ...base, datacontenttype: 'application/xml', data_base64: 'PGEvPg==' });
});

test('planEvent() takes a subject and extensions', () => {
  const more = { subject: 'a', attribute: ['tenant=x=y', 'empty='] };
  const event = planEvent({ ...flags, ...more }, undefined);
  assert.deepEqual(event, { ...base, subject: 'a', tenant: 'x=y', empty: '' });
  assert.throws(() => planEvent({ ...flags, attribute: ['Tenant=x'] }, undefined), /"Tenant=x"/);
});
