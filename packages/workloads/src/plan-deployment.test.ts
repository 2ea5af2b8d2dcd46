import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { findCondition } from '@fnlet/machinery';
import fc from 'fast-check';
import {
  type Deployment,
  desiredReplicasAnnotation,
  maxReplicasAnnotation,
  revisionAnnotation,
  revisionHistoryAnnotation,
} from './deployment.ts';
import { type DeploymentPlan, planDeployment } from './plan-deployment.ts';
import { type ReplicaSet, wantedReplicas } from './replica-set.ts';
import { rollingBounds } from './rolling-bounds.ts';

type Spec = Partial<Deployment['spec']>;

function deployment(spec: Spec = {}, template = 'a', metadata: object = {}): Deployment {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace: 'default', uid: 'u', generation: 1, ...metadata },
    spec: {
      replicas: 4,
      selector: { matchLabels: { app: 'web' } },
      template: {
        metadata: { labels: { app: 'web' } },
        spec: { containers: [{ name: 'main', image: template }] },
      },
      ...spec,
    },
  };
}

/** A ReplicaSet of a template, with its numbers. */
function replicaSet(
  template: string,
  numbers: { readonly replicas: number; readonly available?: number; readonly revision?: number },
): ReplicaSet {
  const { replicas, available = replicas, revision = 1 } = numbers;
  const { spec } = deployment({}, template);
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      name: `web-${template}`,
      namespace: 'default',
      uid: template,
      creationTimestamp: `2026-01-01T00:00:0${revision}Z`,
      annotations: { [revisionAnnotation]: String(revision) },
    },
    spec: { replicas, selector: spec.selector, template: spec.template },
    status: { replicas, readyReplicas: available, availableReplicas: available },
  };
}

function plan(
  owner: Deployment,
  replicaSets: readonly ReplicaSet[] = [],
  facts: { readonly hasOldPods?: boolean; readonly nowMs?: number } = {},
): DeploymentPlan {
  const { hasOldPods = false, nowMs = Date.UTC(2026, 0, 2) } = facts;
  return planDeployment({ deployment: owner, replicaSets, hasOldPods, nowMs });
}

function scales({ change }: DeploymentPlan): Record<string, number> {
  const moved = change.filter(({ replicaSet: set, replicas }) => wantedReplicas(set) !== replicas);
  return Object.fromEntries(
    moved.map(({ replicaSet: set, replicas }) => [set.metadata.name.slice(4), replicas]),
  );
}

describe('rollingBounds()', () => {
  const cases: readonly [Spec, number, number][] = [
    [{}, 1, 1],
    [{ replicas: 1 }, 1, 0],
    [{ replicas: 10 }, 3, 2],
    [{ replicas: 0 }, 0, 0],
    [{ strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 0 } } }, 0, 1],
    [{ strategy: { rollingUpdate: { maxSurge: '0%', maxUnavailable: '10%' } } }, 0, 1],
    [{ strategy: { rollingUpdate: { maxSurge: '100%', maxUnavailable: '100%' } } }, 4, 4],
    [{ strategy: { rollingUpdate: { maxSurge: 7, maxUnavailable: 9 } } }, 7, 4],
    [{ replicas: 100, strategy: { rollingUpdate: { maxSurge: '7%' } } }, 7, 25],
    [{ strategy: { type: 'Recreate' } }, 0, 4],
  ];
  for (const [spec, maxSurge, maxUnavailable] of cases) {
    test(`${JSON.stringify(spec)} gives ${maxSurge} up, ${maxUnavailable} down`, () => {
      const bounds = rollingBounds(deployment(spec));
      assert.deepEqual([bounds.maxSurge, bounds.maxUnavailable], [maxSurge, maxUnavailable]);
    });
  }
});

describe('planDeployment()', () => {
  test('makes a ReplicaSet of a new template, named and labelled by its hash', () => {
    const { create, revision, status } = plan(deployment());
    const hash = create?.metadata.labels?.['pod-template-hash'] ?? '';
    assert.match(hash, /^[a-z0-9]{10}$/);
    assert.equal(create?.metadata.name, `web-${hash}`);
    assert.deepEqual(create?.spec.selector.matchLabels, { app: 'web', 'pod-template-hash': hash });
    assert.equal(create?.spec.replicas, 4);
    assert.deepEqual(create?.metadata.annotations, {
      [desiredReplicasAnnotation]: '4',
      [maxReplicasAnnotation]: '5',
      [revisionAnnotation]: '1',
    });
    assert.equal(revision, '1');
    const progress = findCondition(status.conditions, 'Progressing');
    assert.equal(progress?.reason, 'NewReplicaSetCreated');
  });

  test('gives another name after a collision', () => {
    const first = plan(deployment()).create?.metadata.name;
    const collided = { ...deployment(), status: { collisionCount: 1 } };
    assert.notEqual(plan(collided).create?.metadata.name, first);
  });

  test('a rollout begins with the surge, and the old ones give way as new ones are available', () => {
    const old = replicaSet('a', { replicas: 4 });
    const begun = plan(deployment({}, 'b'), [old]);
    assert.equal(begun.create?.spec.replicas, 1);
    assert.equal(begun.revision, '2');
    const fresh = replicaSet('b', { replicas: 1, available: 0, revision: 2 });
    assert.deepEqual(scales(plan(deployment({}, 'b'), [old, fresh])), { a: 3 });
    const ready = replicaSet('b', { replicas: 1, revision: 2 });
    assert.deepEqual(scales(plan(deployment({}, 'b'), [old, ready])), { a: 2 });
  });

  test('unhealthy old replicas go first, whatever their age', () => {
    const healthy = replicaSet('a', { replicas: 3, revision: 1 });
    const broken = replicaSet('b', { replicas: 2, available: 0, revision: 2 });
    const fresh = replicaSet('c', { replicas: 0, revision: 3 });
    const changes = scales(plan(deployment({}, 'c'), [healthy, broken, fresh]));
    assert.deepEqual(changes, { b: 0 });
  });

  test('a Recreate waits until nothing of the old runs', () => {
    const recreate: Spec = { strategy: { type: 'Recreate' } };
    const old = replicaSet('a', { replicas: 4 });
    const first = plan(deployment(recreate, 'b'), [old], { hasOldPods: true });
    assert.equal(first.create, undefined);
    assert.deepEqual(scales(first), { a: 0 });
    const empty = replicaSet('a', { replicas: 0 });
    const second = plan(deployment(recreate, 'b'), [empty], { hasOldPods: true });
    assert.equal(second.create, undefined);
    assert.equal(plan(deployment(recreate, 'b'), [empty]).create?.spec.replicas, 4);
  });

  test('a paused Deployment makes nothing new, and still scales', () => {
    const old = replicaSet('a', { replicas: 4 });
    const paused = plan(deployment({ paused: true, replicas: 6 }, 'b'), [old]);
    assert.equal(paused.create, undefined);
    assert.deepEqual(scales(paused), { a: 6 });
    const condition = findCondition(paused.status.conditions, 'Progressing');
    assert.deepEqual([condition?.status, condition?.reason], ['Unknown', 'DeploymentPaused']);
  });

  test('going back takes the old ReplicaSet, with a new revision and its history', () => {
    const first = replicaSet('a', { replicas: 0, revision: 1 });
    const second = replicaSet('b', { replicas: 4, revision: 2 });
    const back = plan(deployment({}, 'a'), [first, second]);
    assert.equal(back.create, undefined);
    assert.equal(back.revision, '3');
    const annotations = back.change.find(({ replicaSet: set }) => set === first)?.annotations;
    assert.equal(annotations?.[revisionAnnotation], '3');
    assert.equal(annotations?.[revisionHistoryAnnotation], '1');
    assert.equal(
      findCondition(back.status.conditions, 'Progressing')?.reason,
      'FoundNewReplicaSet',
    );
  });

  test('another number in the middle of a rollout is shared out', () => {
    const marks = { [desiredReplicasAnnotation]: '4', [maxReplicasAnnotation]: '5' };
    const marked = (set: ReplicaSet): ReplicaSet => ({
      ...set,
      metadata: { ...set.metadata, annotations: { ...set.metadata.annotations, ...marks } },
    });
    const old = marked(replicaSet('a', { replicas: 3 }));
    const fresh = marked(replicaSet('b', { replicas: 2, revision: 2 }));
    const changes = scales(plan(deployment({ replicas: 8 }, 'b'), [old, fresh]));
    assert.deepEqual(changes, { a: 6, b: 4 });
  });

  test('the history keeps revisionHistoryLimit empty ReplicaSets', () => {
    const current = replicaSet('d', { replicas: 4, revision: 4 });
    const old = ['a', 'b', 'c'].map((name, at) =>
      replicaSet(name, { replicas: 0, revision: at + 1 }),
    );
    const { remove } = plan(deployment({ revisionHistoryLimit: 1 }, 'd'), [...old, current]);
    assert.deepEqual(
      remove.map(({ metadata }) => metadata.name),
      ['web-a', 'web-b'],
    );
  });

  test('a rollout that makes no progress for too long says so', () => {
    const nowMs = Date.UTC(2026, 0, 2);
    const fresh = replicaSet('a', { replicas: 4, available: 0 });
    const begun = plan(deployment(), [fresh], { nowMs });
    assert.equal(begun.lookAtMs, nowMs + 600_000);
    const stuck = { ...deployment(), status: begun.status };
    const later = plan(stuck, [fresh], { nowMs: nowMs + 300_000 });
    assert.equal(later.lookAtMs, nowMs + 600_000);
    const late = plan(stuck, [fresh], { nowMs: nowMs + 600_000 });
    const condition = findCondition(late.status.conditions, 'Progressing');
    assert.deepEqual([condition?.status, condition?.reason], ['False', 'ProgressDeadlineExceeded']);
  });

  test('is available while no more are missing than may be', () => {
    const enough = plan(deployment(), [replicaSet('a', { replicas: 4, available: 3 })]);
    assert.equal(findCondition(enough.status.conditions, 'Available')?.status, 'True');
    const short = plan(deployment(), [replicaSet('a', { replicas: 4, available: 2 })]);
    const condition = findCondition(short.status.conditions, 'Available');
    assert.deepEqual(
      [condition?.status, condition?.reason],
      ['False', 'MinimumReplicasUnavailable'],
    );
  });

  test('a Deployment that is being deleted does nothing', () => {
    const going = deployment({}, 'b', { deletionTimestamp: '2026-01-01T00:00:00Z' });
    const found = plan(going, [replicaSet('a', { replicas: 4 })]);
    assert.deepEqual([found.create, found.change, found.remove], [undefined, [], []]);
  });

  test('says the same about the same: nothing moves when all is done', () => {
    const settled = plan(deployment(), [replicaSet('a', { replicas: 4 })]);
    const again = plan({ ...deployment(), status: settled.status }, [
      replicaSet('a', { replicas: 4 }),
    ]);
    assert.deepEqual(again.status, settled.status);
    assert.deepEqual(scales(again), {});
  });
});

/** A Deployment and its ReplicaSets, where Pods become available and break as chance will have it. */
class Model {
  readonly #spec: Spec;
  readonly #sets = new Map<string, ReplicaSet>();
  #template = 0;
  #status: Deployment['status'];

  constructor(spec: Spec) {
    this.#spec = spec;
  }

  get deployment(): Deployment {
    const owner = deployment(this.#spec, `t${this.#template}`);
    return this.#status === undefined ? owner : { ...owner, status: this.#status };
  }

  get replicas(): number {
    return [...this.#sets.values()].reduce((sum, set) => sum + wantedReplicas(set), 0);
  }

  get available(): number {
    return [...this.#sets.values()].reduce((sum, set) => sum + this.#availableOf(set), 0);
  }

  edit(): void {
    this.#template++;
  }

  /** One Pod of some ReplicaSet becomes available, or stops being it. */
  turn(which: number, change: 1 | -1): void {
    const sets = [...this.#sets.values()];
    const set = sets[which % Math.max(1, sets.length)];
    if (set === undefined) return;
    this.#put(set, wantedReplicas(set), this.#availableOf(set) + change);
  }

  allReady(): void {
    for (const set of this.#sets.values()) this.#put(set, wantedReplicas(set), wantedReplicas(set));
  }

  step(): void {
    const found = plan(this.deployment, [...this.#sets.values()]);
    for (const { replicaSet: set, replicas, annotations } of found.change) {
      const metadata = {
        ...set.metadata,
        annotations: { ...set.metadata.annotations, ...annotations },
      };
      this.#put({ ...set, metadata }, replicas, this.#availableOf(set));
    }
    if (found.create !== undefined) {
      const created = at(found.create, this.#template);
      this.#put(created, wantedReplicas(created), 0);
    }
    this.#status = found.status;
  }

  get isDone(): boolean {
    return (
      findCondition(this.#status?.conditions, 'Progressing')?.reason === 'NewReplicaSetAvailable'
    );
  }

  #availableOf({ status }: ReplicaSet): number {
    return status?.availableReplicas ?? 0;
  }

  // What is scaled down loses its unavailable Pods first, as a ReplicaSet does.
  #put(set: ReplicaSet, replicas: number, available: number): void {
    const availableReplicas = Math.max(0, Math.min(replicas, available));
    this.#sets.set(set.metadata.name, {
      ...set,
      spec: { ...set.spec, replicas },
      status: { replicas, readyReplicas: availableReplicas, availableReplicas },
    });
  }
}

function at(set: ReplicaSet, second: number): ReplicaSet {
  const creationTimestamp = new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();
  return { ...set, metadata: { ...set.metadata, creationTimestamp } };
}

const bound = fc.oneof(
  fc.nat(5),
  fc.nat(100).map((percent) => `${percent}%`),
);
const specs = fc.record({
  replicas: fc.nat(12),
  strategy: fc.record({ rollingUpdate: fc.record({ maxSurge: bound, maxUnavailable: bound }) }),
});
const turns = fc.record({
  kind: fc.constantFrom('ready' as const, 'ready' as const, 'break' as const, 'edit' as const),
  which: fc.nat(9),
});

test('why Pods are not made stands in the Deployment for as long as it is so', () => {
  const failure = {
    type: 'ReplicaFailure',
    status: 'True',
    reason: 'FailedCreate',
    message: 'pods "web-1" is forbidden: exceeded quota: small',
  } as const;
  const refused = { ...replicaSet('a', { replicas: 4, available: 0 }) };
  const status = { ...refused.status, conditions: [failure] };
  const told = plan(deployment(), [{ ...refused, status }]).status.conditions;
  const found = findCondition(told, 'ReplicaFailure');
  assert.deepEqual([found?.status, found?.reason], ['True', 'FailedCreate']);
  assert.equal(found?.message, failure.message);
  const owner: Deployment = { ...deployment(), ...(told && { status: { conditions: told } }) };
  for (const conditions of [undefined, [{ ...failure, status: 'False' as const }]]) {
    const mended = { ...refused.status, ...(conditions && { conditions }) };
    const later = plan(owner, [{ ...refused, status: mended }]).status.conditions;
    assert.equal(findCondition(later, 'ReplicaFailure'), undefined);
  }
});

test('a rollout never has more than the surge allows, nor takes more than may be missing', () => {
  fc.assert(
    fc.property(specs, fc.array(turns, { maxLength: 60 }), (spec, story) => {
      const model = new Model(spec);
      const { desired, maxSurge, maxUnavailable } = rollingBounds(model.deployment);
      for (const { kind, which } of story) {
        if (kind === 'edit') model.edit();
        else model.turn(which, kind === 'ready' ? 1 : -1);
        const before = { replicas: model.replicas, available: model.available };
        model.step();
        assert.ok(model.replicas <= Math.max(before.replicas, desired + maxSurge));
        assert.ok(model.available >= Math.min(before.available, desired - maxUnavailable));
      }
    }),
    { numRuns: 300 },
  );
});

test('a rollout ends, whatever came before, once Pods become available', () => {
  fc.assert(
    fc.property(specs, fc.array(turns, { maxLength: 20 }), (spec, story) => {
      const model = new Model(spec);
      for (const { kind, which } of story) {
        if (kind === 'edit') model.edit();
        else model.turn(which, kind === 'ready' ? 1 : -1);
        model.step();
      }
      for (let round = 0; round < 60 && !model.isDone; round++) {
        model.allReady();
        model.step();
      }
      assert.ok(model.isDone);
      assert.equal(model.replicas, spec.replicas);
    }),
    { numRuns: 300 },
  );
});
