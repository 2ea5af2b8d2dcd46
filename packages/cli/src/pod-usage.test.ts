import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  formatCores,
  formatMemory,
  type PodTop,
  readPodUsage,
  sortTop,
  sumByFunction,
} from './pod-usage.ts';

const metadata = { name: 'a-1', namespace: 'shop' };

test('readPodUsage() adds up the containers, whatever units they are told in', () => {
  const metrics = {
    ...{ apiVersion: 'metrics.k8s.io/v1beta1', kind: 'PodMetrics', metadata },
    containers: [
      { name: 'function', usage: { cpu: '1500000n', memory: '65536Ki' } },
      { name: 'proxy', usage: { cpu: '2m', memory: '32Mi' } },
      { name: 'silent', usage: {} },
    ],
  };
  const usage = readPodUsage(metrics);
  assert.equal(formatCores(usage), '4m');
  assert.equal(formatMemory(usage), '96Mi');
  assert.deepEqual(readPodUsage({ ...metrics, containers: 'none' }), { cores: 0, memoryBytes: 0 });
  assert.equal(formatCores(undefined), '-');
});

const idle = { restarts: 0, revision: '', namespace: 'shop' };
const pods: readonly PodTop[] = [
  { ...idle, name: 'b-1', function: 'b', usage: { cores: 1, memoryBytes: 10 } },
  { ...idle, name: 'a-1', function: 'a', usage: { cores: 0.5, memoryBytes: 20 } },
  { ...idle, name: 'a-2', function: 'a', usage: undefined },
];

test('sumByFunction() has a row for those asleep, and no sum of what nobody measured', () => {
  const functions = ['a', 'b', 'c'].map((name) => ({
    ...{ apiVersion: 'fnlet.dev/v1alpha1', kind: 'Function' },
    metadata: { name, namespace: 'shop' },
  }));
  const sums = sumByFunction(functions, pods);
  assert.deepEqual(
    sums.map(({ name, instances, usage }) => [name, instances, usage?.cores]),
    [
      ['a', 2, 0.5],
      ['b', 1, 1],
      ['c', 0, undefined],
    ],
  );
});

test('sortTop() puts the most first, and what nobody measured last', () => {
  const names = (order: Parameters<typeof sortTop>[1]): readonly string[] =>
    sortTop(pods, order).map(({ name }) => name);
  assert.deepEqual(names('name'), ['a-1', 'a-2', 'b-1']);
  assert.deepEqual(names('cpu'), ['b-1', 'a-1', 'a-2']);
  assert.deepEqual(names('memory'), ['a-1', 'b-1', 'a-2']);
});
