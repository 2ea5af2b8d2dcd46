import assert from 'node:assert/strict';
import { test } from 'node:test';
import { developmentUntilAnnotation, type FunctionObject, parseFunction } from '@fnlet/api';
import { planDevelopment } from './plan-development.ts';

const nowMs = Date.parse('2030-01-01T12:00:00Z');

const spec = {
  ...{ runtime: 'nodejs24', handler: 'default', source: { inline: 'x' }, timeout: '30s' },
  ...{
    allowInstallScripts: false,
    scale: { min: 0, max: 1, target: 1, limit: 0, idleAfter: '1s' },
  },
};

function owner(until: string | undefined, development = true): FunctionObject {
  const annotations = until === undefined ? {} : { [developmentUntilAnnotation]: until };
  return parseFunction({
    apiVersion: 'fnlet.dev/v1alpha1',
    kind: 'Function',
    metadata: { name: 'hello', namespace: 'default', annotations },
    spec: { ...spec, development },
  });
}

test('planDevelopment() lets the field count until the time that it was put off to', () => {
  const given = owner('2030-01-01T12:00:01Z');
  assert.deepEqual(planDevelopment(given, nowMs), { owner: given, leftMs: 1_000 });
});

test('planDevelopment() takes it as not said from that time on, and changes nothing else', () => {
  const until = '2030-01-01T12:00:00Z';
  const given = owner(until);
  const planned = planDevelopment(given, nowMs);
  assert.equal(planned.ended, until);
  assert.equal(planned.leftMs, undefined);
  const { development, ...rest } = given.spec;
  assert.deepEqual([development, planned.owner], [true, { ...given, spec: rest }]);
});

test('planDevelopment() knows no end where nobody has named one', () => {
  for (const until of [undefined, '', 'tomorrow']) {
    const given = owner(until);
    assert.deepEqual(planDevelopment(given, nowMs), { owner: given });
  }
});

test('planDevelopment() says nothing about a Function that nobody works on', () => {
  const given = owner('2020-01-01T00:00:00Z', false);
  assert.deepEqual(planDevelopment(given, nowMs), { owner: given });
});
