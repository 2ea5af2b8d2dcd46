import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toKubeTime } from '@fnlet/machinery';
import type { Pod } from '../pod.ts';
import type { PodMetric } from './group-pods.ts';
import { replicasForUse, type UseSituation, type UseVerdict } from './replicas-for-use.ts';

const now = Date.UTC(2026, 0, 5, 12);
const hourMs = 3_600_000;

interface Sample {
  /** What the Pod uses, in thousandths; `undefined`: it was not measured. */
  readonly milli: number | undefined;
  readonly isReady?: boolean;
  readonly startedMsAgo?: number;
  readonly phase?: NonNullable<Pod['status']>['phase'];
  readonly request?: number;
}

function pod(index: number, sample: Sample): Pod {
  const { isReady = true, startedMsAgo = hourMs, phase = 'Running' } = sample;
  const startTime = toKubeTime(now - startedMsAgo);
  const status = isReady ? 'True' : 'False';
  return {
    ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name: `pod-${index}` } },
    spec: { containers: [] },
    status: {
      ...{ phase, startTime },
      conditions: [{ type: 'Ready', status, lastTransitionTime: startTime }],
    },
  };
}

function ask(
  samples: readonly Sample[],
  change: Partial<UseSituation> & Pick<UseSituation, 'target'>,
): UseVerdict | string {
  const metrics = samples.flatMap(({ milli }, index): [string, PodMetric][] =>
    milli === undefined ? [] : [[`pod-${index}`, { milli, atMs: now, windowMs: 60_000 }]],
  );
  const requests = samples.map(({ request = 1000 }, index): [string, number] => [
    `pod-${index}`,
    request,
  ]);
  return replicasForUse({
    pods: samples.map((sample, index) => pod(index, sample)),
    metrics: new Map(metrics),
    resource: 'cpu',
    requests: new Map(requests),
    current: samples.length,
    tolerance: { up: 0.1, down: 0.1 },
    now,
    ...change,
  });
}

function use(...all: readonly number[]): readonly Sample[] {
  return all.map((milli) => ({ milli }));
}

const hot = { startedMsAgo: 30_000 };

// By hand from the published algorithm (kubernetes.io, "Algorithm details"); the same numbers as the
// table of kubernetes' own calculator.
const vectors: readonly [string, readonly Sample[], number, UseVerdict][] = [
  ['grows', use(300, 500, 700), 30, { replicas: 5, utilization: 50, averageMilli: 500 }],
  [
    'grows less by Pods that are not ready',
    [{ milli: 300, isReady: false, ...hot }, ...use(500, 700)],
    30,
    { replicas: 4, utilization: 60, averageMilli: 600 },
  ],
  [
    'grows less by Pods whose CPU is still that of their start',
    [{ milli: 300, ...hot }, ...use(500, 700)],
    30,
    { replicas: 4, utilization: 60, averageMilli: 600 },
  ],
  [
    'stays where the others would undo it',
    [
      { milli: 400 },
      { milli: 500, isReady: false, ...hot },
      { milli: 700, isReady: false, ...hot },
    ],
    30,
    { replicas: 3, utilization: 40, averageMilli: 400 },
  ],
  [
    'shrinks',
    use(100, 300, 500, 250, 250),
    50,
    { replicas: 3, utilization: 28, averageMilli: 280 },
  ],
  [
    'stays within the tolerance',
    [
      { milli: 1010, request: 900 },
      { milli: 1030, request: 1000 },
      { milli: 1020, request: 1100 },
    ],
    100,
    { replicas: 3, utilization: 102, averageMilli: 1020 },
  ],
  [
    'shrinks less by Pods that were not measured',
    [...use(400, 95), { milli: undefined }, { milli: undefined }],
    100,
    { replicas: 3, utilization: 24, averageMilli: 247 },
  ],
  [
    'grows less by Pods that were not measured',
    [...use(1000, 1000), { milli: undefined }],
    50,
    { replicas: 4, utilization: 100, averageMilli: 1000 },
  ],
  [
    'leaves out Pods that failed',
    [...use(500, 700), { milli: undefined, phase: 'Failed' }],
    50,
    { replicas: 3, utilization: 60, averageMilli: 600 },
  ],
];

for (const [what, samples, target, expected] of vectors) {
  test(`it ${what}`, () => {
    assert.deepEqual(ask(samples, { target }), expected);
  });
}

test('a value as the target needs no requests', () => {
  const verdict = ask(use(1000, 3000, 5000), { target: 2000, requests: undefined });
  assert.deepEqual(verdict, { replicas: 5, utilization: undefined, averageMilli: 3000 });
});

test('tolerance counts by direction', () => {
  const change = { target: 50, tolerance: { up: 0.5, down: 0 } };
  assert.deepEqual(Object(ask(use(700, 700), change)).replicas, 2);
  assert.deepEqual(Object(ask(use(240, 240), change)).replicas, 1);
});

test('it says why nothing can be said', () => {
  assert.equal(
    ask([], { target: 50 }),
    'no pods returned by selector while calculating replica count',
  );
  const none = [{ milli: undefined }];
  const unready = 'did not receive metrics for targeted pods (pods might be unready)';
  assert.equal(ask(none, { target: 50 }), unready);
  const requests = new Map<string, number>();
  assert.equal(ask(use(1), { target: 50, requests }), 'no metrics returned matched known pods');
});
