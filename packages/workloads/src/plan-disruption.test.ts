import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { toKubeTime } from '@fnlet/machinery';
import fc from 'fast-check';
import type { DisruptionBudget, DisruptionStatus } from './disruption-budget.ts';
import type { IntOrPercent } from './int-or-percent.ts';
import { limits } from './limits.ts';
import { type ControllerScale, type DisruptionPlan, planDisruption } from './plan-disruption.ts';
import type { Pod } from './pod.ts';

const nowMs = Date.UTC(2026, 0, 2);

function budget(spec: DisruptionBudget['spec'], status?: DisruptionStatus): DisruptionBudget {
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: 'b', namespace: 'default', generation: 2 },
    spec,
    ...(status === undefined ? {} : { status }),
  };
}

interface PodFacts {
  readonly ready?: boolean;
  readonly owner?: string;
  readonly going?: boolean;
}

function pod(name: string, { ready = true, owner, going = false }: PodFacts = {}): Pod {
  const reference = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'set', controller: true };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      ...(owner === undefined ? {} : { ownerReferences: [{ ...reference, uid: owner }] }),
      ...(going ? { deletionTimestamp: toKubeTime(nowMs) } : {}),
    },
    spec: { containers: [] },
    status: { conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] },
  };
}

const pods = (count: number, facts: PodFacts = {}): Pod[] =>
  Array.from({ length: count }, (_, at) => pod(`p${at}`, facts));

function plan(
  of: DisruptionBudget,
  selected: readonly Pod[],
  scales: Readonly<Record<string, number | string>> = {},
): DisruptionPlan {
  const known = Object.entries(scales).map(([uid, scale]): [string, ControllerScale] => [
    uid,
    typeof scale === 'number'
      ? { kind: 'scaled', uid, replicas: scale }
      : { kind: 'unknown', why: scale },
  ]);
  return planDisruption({ budget: of, pods: selected, scales: new Map(known), nowMs });
}

/** `allowed: healthy/desired of expected`. */
function numbers({ status }: DisruptionPlan): string {
  const { disruptionsAllowed, currentHealthy, desiredHealthy, expectedPods } = status;
  return `${disruptionsAllowed}: ${currentHealthy}/${desiredHealthy} of ${expectedPods}`;
}

function reasonOf({ status }: DisruptionPlan): string {
  const [condition] = status.conditions ?? [];
  return `${condition?.status} ${condition?.reason}`;
}

describe('planDisruption()', () => {
  test('counts Pods themselves against a number', () => {
    const found = plan(budget({ minAvailable: 2 }), [...pods(3), pod('sick', { ready: false })]);
    assert.equal(numbers(found), '1: 3/2 of 4');
    assert.equal(reasonOf(found), 'True SufficientPods');
    assert.equal(found.status.observedGeneration, 2);
    assert.deepEqual(found.notices, []);
  });

  test('allows nothing when no more than the wanted Pods are healthy', () => {
    const found = plan(budget({ minAvailable: 3 }), pods(3));
    assert.equal(numbers(found), '0: 3/3 of 3');
    assert.equal(reasonOf(found), 'False InsufficientPods');
  });

  const shares: readonly [DisruptionBudget['spec'], string][] = [
    [{ minAvailable: '50%' }, '3: 7/4 of 7'],
    [{ minAvailable: '0%' }, '7: 7/0 of 7'],
    [{ maxUnavailable: '30%' }, '3: 7/4 of 7'],
    [{ maxUnavailable: 1 }, '1: 7/6 of 7'],
    [{ maxUnavailable: 0 }, '0: 7/7 of 7'],
    [{ maxUnavailable: 9 }, '7: 7/0 of 7'],
  ];
  for (const [spec, expected] of shares) {
    test(`counts ${JSON.stringify(spec)} of what the controllers want, rounded up`, () => {
      assert.equal(numbers(plan(budget(spec), pods(7, { owner: 'u' }), { u: 7 })), expected);
    });
  }

  test('counts what controllers want and do not have yet', () => {
    const found = plan(budget({ maxUnavailable: 1 }), pods(2, { owner: 'u' }), { u: 4 });
    assert.equal(numbers(found), '0: 2/3 of 4');
  });

  test('lets nothing go without Pods, and says so', () => {
    const found = plan(budget({ minAvailable: 0 }), []);
    assert.equal(numbers(found), '0: 0/0 of 0');
    assert.deepEqual(
      found.notices.map(({ reason }) => reason),
      ['NoPods'],
    );
  });

  test('warns of Pods of nobody where controllers are counted', () => {
    const found = plan(budget({ maxUnavailable: 1 }), pods(2));
    assert.equal(numbers(found), '0: 2/0 of 0');
    assert.deepEqual(
      found.notices.map(({ reason }) => reason),
      ['UnmanagedPods'],
    );
  });

  test('fails closed when a scale cannot be told', () => {
    const status = { disruptionsAllowed: 2, currentHealthy: 3, desiredHealthy: 1, expectedPods: 3 };
    const why = 'jobs.batch does not implement the scale subresource';
    const owned = pods(1, { owner: 'u' });
    const found = plan(budget({ maxUnavailable: 1 }, status), owned, { u: why });
    assert.equal(numbers(found), '0: 3/1 of 3');
    assert.equal(reasonOf(found), 'False SyncFailed');
    assert.equal(found.status.conditions?.[0]?.message, why);
    assert.match(found.notices[0]?.message ?? '', /expected pods: jobs\.batch/);
    const missing = plan(budget({ minAvailable: '50%' }), owned);
    assert.match(missing.status.conditions?.[0]?.message ?? '', /no controllers for pod "p0"/);
  });

  test('does not count Pods that are on their way, and waits for those that were let go', () => {
    const letGo = (agoMs: number): string => toKubeTime(nowMs - agoMs);
    const status: DisruptionStatus = {
      ...{ disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 },
      disruptedPods: {
        p0: letGo(limits.disruptionTimeoutMs - 5_000),
        p1: letGo(limits.disruptionTimeoutMs + 1_000),
        gone: letGo(0),
        going: letGo(0),
      },
    };
    const selected = [...pods(4), pod('going', { going: true })];
    const found = plan(budget({ minAvailable: 1 }, status), selected);
    assert.equal(numbers(found), '2: 3/1 of 5');
    assert.deepEqual(Object.keys(found.status.disruptedPods ?? {}), ['p0']);
    assert.deepEqual(
      found.overdue.map(({ metadata }) => metadata.name),
      ['p1'],
    );
    assert.equal(found.lookAtMs, nowMs + 5_001);
  });

  test('never lets more go than keeps the wanted Pods healthy, and settles', () => {
    const bound = fc.oneof(
      fc.nat(12),
      fc.nat(100).map((share) => `${share}%`),
    );
    const specs = fc.oneof(
      bound.map((minAvailable: IntOrPercent) => ({ minAvailable })),
      bound.map((maxUnavailable: IntOrPercent) => ({ maxUnavailable })),
    );
    const facts = fc.record({ ready: fc.boolean(), going: fc.boolean(), owner: fc.constant('u') });
    fc.assert(
      fc.property(specs, fc.array(facts, { maxLength: 12 }), fc.nat(12), (spec, all, replicas) => {
        const selected = all.map((each, at) => pod(`p${at}`, each));
        const { status } = plan(budget(spec), selected, { u: replicas });
        const healthy = all.filter(({ ready, going }) => ready && !going).length;
        assert.equal(status.currentHealthy, healthy);
        assert.ok(status.disruptionsAllowed >= 0);
        if (status.disruptionsAllowed > 0) {
          assert.ok(healthy - status.disruptionsAllowed >= status.desiredHealthy);
        }
        const again = plan(budget(spec, status), selected, { u: replicas });
        assert.deepEqual(again.status, status);
      }),
    );
  });
});
