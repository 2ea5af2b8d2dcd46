import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isSampled, parseTraceSampler } from './trace-sampler.ts';

const parse = (name?: string, argument?: string): unknown =>
  parseTraceSampler({ OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: argument });

test('parseTraceSampler() knows the samplers of OpenTelemetry, and nothing else', () => {
  for (const [name, argument, followsCaller, ratio] of [
    [undefined, undefined, true, 1],
    ['', '', true, 1],
    ['always_on', undefined, false, 1],
    ['always_off', '1', false, 0],
    ['traceidratio', '0.25', false, 0.25],
    ['traceidratio', undefined, false, 1],
    ['parentbased_always_on', undefined, true, 1],
    ['parentbased_always_off', undefined, true, 0],
    ['parentbased_traceidratio', '0', true, 0],
  ] as const) {
    assert.deepEqual(parse(name, argument), { followsCaller, ratio }, name);
  }
  for (const [name, argument] of [
    ['always', undefined],
    ['jaeger_remote', undefined],
    ['parentbased_', undefined],
    ['xtraceidratio', '1'],
    ['traceidratio', '1.1'],
    ['traceidratio', '-1'],
    ['traceidratio', 'half'],
  ] as const) {
    assert.equal(parse(name, argument), undefined, `${name} ${argument}`);
  }
});

test('isSampled() follows the caller where it should, and a ratio by what is chance', () => {
  const low = '4bf92f3577b34da6a3ce929d3fffffff';
  const high = '4bf92f3577b34da6a3ce929d40000000';
  const quarter = { followsCaller: true, ratio: 0.25 };
  assert.equal(isSampled(quarter, low, undefined), true);
  assert.equal(isSampled(quarter, high, undefined), false);
  assert.equal(isSampled(quarter, low, false), false);
  assert.equal(isSampled(quarter, high, true), true);
  assert.equal(isSampled({ ...quarter, followsCaller: false }, high, true), false);
  for (const traceId of [low, high, 'f'.repeat(32)]) {
    assert.equal(isSampled({ followsCaller: false, ratio: 1 }, traceId, false), true);
    assert.equal(isSampled({ followsCaller: false, ratio: 0 }, traceId, true), false);
  }
});
