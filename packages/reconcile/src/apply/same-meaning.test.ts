import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isSameMeaning, rootPlace } from './same-meaning.ts';

const limits = (cpu: unknown): object => ({ spec: { resources: { limits: { cpu } } } });

test('quantities of one size mean the same where quantities stand', () => {
  assert.ok(isSameMeaning(limits('1000m'), limits('1'), rootPlace));
  assert.ok(isSameMeaning(limits(1), limits('1'), rootPlace));
  assert.ok(!isSameMeaning(limits('1000m'), limits('1.001'), rootPlace));
});

test('elsewhere a text is a text', () => {
  for (const field of ['data', 'metadata']) {
    const object = (value: string): object => ({ [field]: { limits: { cpu: value } } });
    assert.ok(!isSameMeaning(object('1000m'), object('1'), rootPlace), field);
  }
  const annotated = (cpu: string): object => ({ spec: { annotations: { limits: cpu } } });
  assert.ok(!isSameMeaning(annotated('1000m'), annotated('1'), rootPlace));
});

test('nothing may stand for null and for an empty list, but not for an empty map', () => {
  assert.ok(isSameMeaning({ a: null, b: [] }, {}, rootPlace));
  assert.ok(!isSameMeaning({ a: {} }, {}, rootPlace));
  assert.ok(!isSameMeaning({}, { a: null }, rootPlace));
  assert.ok(!isSameMeaning([{}], [], rootPlace));
});

test('a known default beside what was said is no difference, anything else is', () => {
  const env = (fieldRef: object): object => ({ spec: { fieldRef } });
  const said = env({ fieldPath: 'x' });
  assert.ok(isSameMeaning(said, env({ fieldPath: 'x', apiVersion: 'v1' }), rootPlace));
  assert.ok(!isSameMeaning(said, env({ fieldPath: 'x', apiVersion: 'v2' }), rootPlace));
  assert.ok(!isSameMeaning(said, env({ fieldPath: 'x', other: 'v1' }), rootPlace));
});
