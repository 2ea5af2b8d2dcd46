import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findResourceMistake, resolveResources } from './resources.ts';

const mebibyte = 1024 * 1024;

test('resolveResources() knows the presets of Kyma', () => {
  assert.deepEqual(resolveResources({ profile: 'XS' }), {
    requests: { cpu: '50m', memory: '64Mi' },
    limits: { cpu: '150m', memory: '256Mi' },
    cpuCoresMax: 0.15,
    memoryBytesMax: 256 * mebibyte,
  });
  const { limits, cpuCoresMax } = resolveResources({ profile: 'XL' });
  assert.deepEqual(limits, { cpu: '1600m', memory: '2Gi' });
  assert.equal(cpuCoresMax, 1.6);
});

test('resolveResources() bounds nothing that was not said', () => {
  assert.deepEqual(resolveResources(undefined), { requests: {}, limits: {} });
  assert.deepEqual(resolveResources({ requests: { cpu: 1 } }), {
    requests: { cpu: '1' },
    limits: {},
  });
});

test('resolveResources() takes a limit for a request where there is none', () => {
  const { requests } = resolveResources({ requests: { cpu: '1m' }, limits: { memory: '64Mi' } });
  assert.deepEqual(requests, { cpu: '1m', memory: '64Mi' });
});

test('findResourceMistake() tells what cannot be', () => {
  const mistakes: readonly [object, RegExp | undefined][] = [
    [{ profile: 'L' }, undefined],
    [{ requests: { cpu: 2 }, limits: { memory: '16Mi' } }, undefined],
    [{ requests: { memory: '64Mi' }, limits: { memory: '67108864' } }, undefined],
    [{ limits: { cpu: '1m' } }, /limit of cpu is 1m, expected at least 10m/],
    [{ limits: { memory: '128k' } }, /limit of memory is 128k, expected at least 16Mi/],
    [
      { requests: { memory: '1Gi' }, limits: { memory: '512Mi' } },
      /request of memory is 1Gi, expected at most its limit 512Mi/,
    ],
    [{ requests: { cpu: 1 }, limits: { cpu: '900m' } }, /request of cpu is 1, expected at most/],
  ];
  for (const [resources, expected] of mistakes) {
    const found = findResourceMistake(resources);
    if (expected === undefined) assert.equal(found, undefined);
    else assert.match(found ?? '', expected);
  }
});
