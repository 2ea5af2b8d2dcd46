import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { findCondition } from '@fnlet/machinery';
import fc from 'fast-check';
import { formatIndexes, parseIndexes } from './index-set.ts';
import { indexAnnotation, type Job, type JobSpec, jobOutcome, trackingFinalizer } from './job.ts';
import { type JobPlan, planJob } from './plan-job.ts';
import type { Pod } from './pod.ts';

const startMs = Date.UTC(2026, 0, 1);

function job(spec: Partial<JobSpec> = {}, status?: Job['status']): Job {
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name: 'work',
      namespace: 'default',
      uid: 'j',
      creationTimestamp: new Date(startMs).toISOString(),
    },
    spec: {
      parallelism: 2,
      completions: 3,
      template: { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'node' }] } },
      ...spec,
    },
    ...(status === undefined ? {} : { status }),
  };
}

type Phase = 'Running' | 'Succeeded' | 'Failed';

function pod(
  uid: string,
  phase: Phase,
  more: { readonly index?: number; readonly exitCode?: number; readonly isReleased?: boolean } = {},
): Pod {
  const { index, exitCode = phase === 'Failed' ? 1 : 0, isReleased = false } = more;
  const finishedAt = new Date(startMs).toISOString();
  const terminated = { exitCode, reason: 'Completed', finishedAt };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: uid,
      namespace: 'default',
      uid,
      creationTimestamp: new Date(startMs).toISOString(),
      ...(isReleased ? {} : { finalizers: [trackingFinalizer] }),
      ...(index === undefined ? {} : { annotations: { [indexAnnotation]: String(index) } }),
    },
    spec: { containers: [{ name: 'main', image: 'node' }] },
    status: {
      phase,
      containerStatuses: [
        {
          ...{ name: 'main', ready: false, restartCount: 0, image: 'node', imageID: '' },
          state: phase === 'Running' ? { running: { startedAt: finishedAt } } : { terminated },
        },
      ],
    },
  };
}

function plan(owner: Job, pods: readonly Pod[] = [], afterMs = 0): JobPlan {
  return planJob({ job: owner, pods, nowMs: startMs + afterMs });
}

function conditionOf({ status }: JobPlan, type: string): string | undefined {
  const found = findCondition(status.conditions, type);
  return found === undefined ? undefined : `${found.status} ${found.reason}`;
}

const names = (pods: readonly Pod[]): string[] => pods.map(({ metadata }) => metadata.name);

describe('planJob()', () => {
  test('makes as many Pods as may run at once, and no more than are missing', () => {
    assert.equal(plan(job()).create.length, 2);
    assert.equal(plan(job({ parallelism: 9 })).create.length, 3);
    assert.equal(plan(job(), [pod('a', 'Running')]).create.length, 1);
    const nearlyDone = job({}, { succeeded: 2 });
    assert.equal(plan(nearlyDone).create.length, 1);
  });

  test('a Pod that has ended is noted, then released, then counted', () => {
    const noted = plan(job(), [pod('a', 'Succeeded')]);
    assert.deepEqual(noted.status.uncountedTerminatedPods, { succeeded: ['a'], failed: [] });
    assert.equal(noted.status.succeeded, 0);
    assert.deepEqual(names(noted.release), ['a']);
    const released = pod('a', 'Succeeded', { isReleased: true });
    const counted = plan(job({}, noted.status), [released]);
    assert.deepEqual(counted.status.uncountedTerminatedPods, { succeeded: [], failed: [] });
    assert.equal(counted.status.succeeded, 1);
    assert.equal(plan(job({}, counted.status), [released]).status.succeeded, 1);
  });

  test('is complete when all have succeeded and nothing runs', () => {
    const done = plan(job({ completions: 1 }), [pod('a', 'Succeeded')]);
    assert.equal(conditionOf(done, 'Complete'), 'True CompletionsReached');
    assert.equal(done.status.completionTime, '2026-01-01T00:00:00Z');
    const still = plan(job({ completions: 1 }), [pod('a', 'Succeeded'), pod('b', 'Running')]);
    assert.equal(conditionOf(still, 'SuccessCriteriaMet'), 'True CompletionsReached');
    assert.equal(conditionOf(still, 'Complete'), undefined);
    assert.deepEqual(names(still.remove), ['b']);
  });

  test('without completions it is done when one has succeeded and the others have ended', () => {
    const { completions: _completions, ...spec } = job().spec;
    const queue: Job = { ...job(), spec };
    const working = plan(queue, [pod('a', 'Succeeded'), pod('b', 'Running')]);
    assert.deepEqual([working.create, working.remove], [[], []]);
    assert.equal(conditionOf(working, 'Complete'), undefined);
    const done = plan(queue, [pod('a', 'Succeeded'), pod('b', 'Failed')]);
    assert.equal(conditionOf(done, 'Complete'), 'True CompletionsReached');
  });

  test('fails when more have failed than backoffLimit', () => {
    const owner = job({ backoffLimit: 1 });
    assert.equal(conditionOf(plan(owner, [pod('a', 'Failed')]), 'Failed'), undefined);
    const failed = plan(owner, [pod('a', 'Failed'), pod('b', 'Failed'), pod('c', 'Running')]);
    assert.equal(conditionOf(failed, 'FailureTarget'), 'True BackoffLimitExceeded');
    assert.equal(conditionOf(failed, 'Failed'), undefined);
    assert.deepEqual(names(failed.remove), ['c']);
    const gone = plan(job({ backoffLimit: 1 }, failed.status), []);
    assert.equal(conditionOf(gone, 'Failed'), 'True BackoffLimitExceeded');
  });

  test('waits after a failure, longer each time', () => {
    const once = [pod('a', 'Failed')];
    assert.deepEqual(plan(job(), once, 5_000).create, []);
    assert.equal(plan(job(), once, 5_000).lookAtMs, startMs + 10_000);
    assert.equal(plan(job(), once, 10_000).create.length, 2);
    const twice = [pod('a', 'Failed'), pod('b', 'Failed')];
    assert.deepEqual(plan(job(), twice, 10_000).create, []);
    assert.equal(plan(job(), twice, 20_000).create.length, 2);
  });

  test('fails when it is active for too long', () => {
    const owner = job({ activeDeadlineSeconds: 60 }, { startTime: '2026-01-01T00:00:00Z' });
    const running = [pod('a', 'Running')];
    assert.equal(plan(owner, running, 59_000).lookAtMs, startMs + 60_000);
    const late = plan(owner, running, 60_000);
    assert.equal(conditionOf(late, 'FailureTarget'), 'True DeadlineExceeded');
  });

  test('a suspended Job has no Pods and no clock', () => {
    const held = plan(job({ suspend: true }), [pod('a', 'Running')]);
    assert.deepEqual([names(held.remove), held.create], [['a'], []]);
    assert.equal(conditionOf(held, 'Suspended'), 'True JobSuspended');
    assert.equal(held.status.startTime, null);
    const resumed = plan(job({}, held.status), [], 1_000);
    assert.equal(conditionOf(resumed, 'Suspended'), 'False JobResumed');
    assert.equal(resumed.status.startTime, '2026-01-01T00:00:01Z');
    assert.equal(resumed.create.length, 2);
  });

  test('an Indexed Job works on each index once, and tells which are done', () => {
    const owner = job({ completionMode: 'Indexed', completions: 4 });
    assert.deepEqual(plan(owner).create, [0, 1]);
    const running = pod('b', 'Running', { index: 1 });
    const next = plan(owner, [pod('a', 'Succeeded', { index: 0 }), running]);
    assert.deepEqual(next.create, [2]);
    assert.equal(next.status.completedIndexes, '0');
    const doubled = plan(owner, [running, pod('c', 'Running', { index: 1 })]);
    assert.deepEqual(names(doubled.remove), ['c']);
  });

  test('an index that succeeded twice counts once', () => {
    const owner = job({ completionMode: 'Indexed', completions: 2 });
    const twice = ['a', 'b'].map((uid) => pod(uid, 'Succeeded', { index: 0 }));
    assert.equal(plan(owner, twice).status.succeeded, 1);
  });

  test('ttlSecondsAfterFinished counts from the end', () => {
    const done = plan(job({ completions: 1 }), [pod('a', 'Succeeded')]).status;
    const owner = job({ completions: 1, ttlSecondsAfterFinished: 10 }, done);
    assert.equal(jobOutcome(owner), 'Complete');
    assert.equal(plan(owner, [], 9_000).isExpired, false);
    assert.equal(plan(owner, [], 9_000).lookAtMs, startMs + 10_000);
    assert.equal(plan(owner, [], 10_000).isExpired, true);
  });

  test('podFailurePolicy ends the Job, or lets a failure count for nothing', () => {
    const rule = (action: 'FailJob' | 'Ignore') =>
      job({
        podFailurePolicy: {
          rules: [{ action, onExitCodes: { operator: 'In', values: [42] } }],
        },
      });
    const failed = [pod('a', 'Failed', { exitCode: 42 })];
    const ended = plan(rule('FailJob'), failed);
    assert.equal(conditionOf(ended, 'Failed'), 'True PodFailurePolicy');
    const ignored = plan(rule('Ignore'), failed);
    assert.deepEqual(ignored.status.uncountedTerminatedPods?.failed, []);
    assert.equal(ignored.create.length, 2);
  });
});

test('formatIndexes() and parseIndexes() are inverse, in the shortest form', () => {
  assert.equal(formatIndexes([7, 0, 1, 2, 4, 5]), '0-2,4,5,7');
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(40)), (indexes) => {
      assert.deepEqual(
        [...parseIndexes(formatIndexes(indexes))],
        indexes.toSorted((a, b) => a - b),
      );
    }),
  );
});

/** A Job and its Pods in an API where every write may be the last one before a crash. */
class Model {
  readonly #spec: Partial<JobSpec>;
  readonly #pods = new Map<string, Pod>();
  #status: Job['status'];
  #made = 0;
  #nowMs = 0;
  readonly ended: { succeeded: number; failed: number } = { succeeded: 0, failed: 0 };

  constructor(spec: Partial<JobSpec>) {
    this.#spec = spec;
  }

  get job(): Job {
    return job(this.#spec, this.#status);
  }

  get active(): number {
    return [...this.#pods.values()].filter(({ status }) => status?.phase === 'Running').length;
  }

  /** One run of the controller, of which only the first `writes` writes happen. */
  run(writes: number): void {
    let left = writes;
    this.#nowMs += 3_600_000;
    const found = plan(this.job, [...this.#pods.values()], this.#nowMs);
    const write = (change: () => void): void => {
      if (left-- > 0) change();
    };
    for (const { metadata } of found.remove) write(() => this.#delete(metadata.uid ?? ''));
    for (const _ of found.create) write(() => this.#create());
    if (left <= 0) return;
    write(() => {
      this.#status = { ...this.#status, ...found.status };
    });
    for (const { metadata } of found.release) write(() => this.#release(metadata.uid ?? ''));
  }

  end(which: number, phase: 'Succeeded' | 'Failed'): void {
    const running = [...this.#pods.values()].filter(({ status }) => status?.phase === 'Running');
    const found = running[which % Math.max(1, running.length)];
    if (found === undefined) return;
    this.#end(found.metadata.uid ?? '', phase);
  }

  #end(uid: string, phase: 'Succeeded' | 'Failed'): void {
    this.ended[phase === 'Succeeded' ? 'succeeded' : 'failed']++;
    this.#pods.set(uid, pod(uid, phase));
  }

  #create(): void {
    const uid = `p${this.#made++}`;
    this.#pods.set(uid, pod(uid, 'Running'));
  }

  #delete(uid: string): void {
    this.#end(uid, 'Failed');
  }

  #release(uid: string): void {
    const found = this.#pods.get(uid);
    if (found === undefined) return;
    // A Pod may be gone for good right after, or stay.
    if (this.#made % 2 === 0) this.#pods.delete(uid);
    else this.#pods.set(uid, { ...found, metadata: { ...found.metadata, finalizers: [] } });
  }
}

const steps = fc.oneof(
  fc.record({ kind: fc.constant('run' as const), writes: fc.nat(6) }),
  fc.record({
    kind: fc.constant('end' as const),
    which: fc.nat(5),
    phase: fc.constantFrom('Succeeded' as const, 'Failed' as const),
  }),
);

test('a Job counts every Pod once, however often its controller dies', () => {
  const specs = fc.record({ parallelism: fc.integer({ min: 1, max: 4 }), completions: fc.nat(6) });
  fc.assert(
    fc.property(specs, fc.array(steps, { maxLength: 60 }), (spec, story) => {
      const model = new Model({ ...spec, backoffLimit: 100 });
      for (const step of story) {
        if (step.kind === 'run') model.run(step.writes);
        else model.end(step.which, step.phase);
        assert.ok(model.active <= spec.parallelism);
      }
      for (let round = 0; round < 40; round++) {
        model.run(100);
        model.end(0, 'Succeeded');
      }
      for (let round = 0; round < 3; round++) model.run(100);
      const { succeeded = 0, failed = 0 } = model.job.status ?? {};
      assert.deepEqual({ succeeded, failed }, model.ended);
      assert.equal(jobOutcome(model.job), 'Complete');
      assert.ok(succeeded >= spec.completions);
    }),
    { numRuns: 300 },
  );
});
