import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planUsage } from './usage-meter.ts';

test('planUsage() sums up a group, and counts what began within the window as a whole', () => {
  const before = {
    monotonicMs: 1000,
    machineCpuMs: 0,
    processes: new Map([[10, { group: 10, cpuMs: 500 }]]),
  };
  const after = {
    monotonicMs: 3000,
    machineCpuMs: 0,
    processes: new Map([
      [10, { group: 10, cpuMs: 1500 }],
      [11, { group: 10, cpuMs: 200 }],
      [20, { group: 20, cpuMs: 0 }],
    ]),
  };
  const memory = [
    { group: 10, bytes: 100 },
    { group: 10, bytes: 50 },
    { group: 20, bytes: 7 },
  ];
  assert.deepEqual(
    planUsage(before, after, memory),
    new Map([
      [10, { cores: 0.6, memoryBytes: 150 }],
      [20, { cores: 0, memoryBytes: 7 }],
    ]),
  );
});

test('planUsage() never tells less than nothing when a pid was given to another process', () => {
  const sample = (monotonicMs: number, cpuMs: number): Parameters<typeof planUsage>[0] => ({
    monotonicMs,
    machineCpuMs: 0,
    processes: new Map([[10, { group: 10, cpuMs }]]),
  });
  assert.deepEqual(
    planUsage(sample(0, 900), sample(1000, 10), []),
    new Map([[10, { cores: 0, memoryBytes: 0 }]]),
  );
});
