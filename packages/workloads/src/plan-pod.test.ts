import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { type ContainerRecord, newRecord } from './container-record.ts';
import { planPod, podPhase } from './plan-pod.ts';
import type { PodSpec, RestartPolicy } from './pod.ts';
import { initialProbeState, mustRestart, nextProbeState } from './probe-state.ts';
import { formatBackoff, nextBackoff, noBackoff } from './restart-backoff.ts';

const image = 'node';
const spec: PodSpec = {
  restartPolicy: 'OnFailure',
  initContainers: [
    { name: 'init', image },
    { name: 'side', image, restartPolicy: 'Always' },
  ],
  containers: [
    { name: 'a', image },
    { name: 'b', image },
  ],
};

type Word = 'new' | 'runs' | 'done' | 'failed';

function record(name: string, word: Word): ContainerRecord {
  const fresh = newRecord(name, false);
  if (word === 'new') return fresh;
  if (word === 'runs') {
    return { ...fresh, state: { kind: 'running', startedAtMs: 0 }, runs: 1, started: true };
  }
  const ended = { exitCode: word === 'done' ? 0 : 1, reason: 'Ended' };
  return { ...fresh, state: { kind: 'terminated' }, ended, runs: 1 };
}

function records(words: Readonly<Record<string, Word>>): ReadonlyMap<string, ContainerRecord> {
  return new Map(Object.entries(words).map(([name, word]) => [name, record(name, word)]));
}

function plan(
  words: Readonly<Record<string, Word>>,
  more: { readonly restartPolicy?: RestartPolicy; readonly isEnding?: boolean } = {},
): string {
  const { restartPolicy = 'OnFailure', isEnding = false } = more;
  const found = planPod({
    spec: { ...spec, restartPolicy },
    records: records(words),
    ...{ isEnding, nowMs: 1_000 },
  });
  const names = (list: readonly { readonly name: string }[]): string =>
    list.map(({ name }) => name).join();
  return `start ${names(found.start)} stop ${names(found.stop)}${found.isOver ? ' over' : ''}`;
}

describe('planPod()', () => {
  const fresh = { init: 'new', side: 'new', a: 'new', b: 'new' } as const;
  const up = { init: 'done', side: 'runs', a: 'runs', b: 'runs' } as const;
  const cases: readonly [string, string, string][] = [
    ['begins with the first init container', plan(fresh), 'start init stop '],
    ['waits for it', plan({ ...fresh, init: 'runs' }), 'start  stop '],
    ['tries it again', plan({ ...fresh, init: 'failed' }), 'start init stop '],
    ['then the sidecar', plan({ ...fresh, init: 'done' }), 'start side stop '],
    ['then all others together', plan({ ...fresh, init: 'done', side: 'runs' }), 'start a,b stop '],
    ['starts again what failed', plan({ ...up, a: 'failed' }), 'start a stop '],
    ['not what is done', plan({ ...up, a: 'done' }), 'start  stop '],
    ['unless always', plan({ ...up, a: 'done' }, { restartPolicy: 'Always' }), 'start a stop '],
    ['nor never', plan({ ...up, a: 'failed' }, { restartPolicy: 'Never' }), 'start  stop '],
    ['a sidecar in any case', plan({ ...up, side: 'failed' }), 'start side stop '],
    [
      'ends the sidecar when all is done',
      plan({ ...up, a: 'done', b: 'done' }),
      'start  stop side',
    ],
    ['ends the others first', plan(up, { isEnding: true }), 'start  stop a,b'],
    [
      'is over when nothing runs',
      plan({ ...up, a: 'done', b: 'done', side: 'done' }),
      'start  stop  over',
    ],
    ['starts nothing when it ends', plan(fresh, { isEnding: true }), 'start  stop  over'],
  ];
  for (const [title, found, expected] of cases) {
    test(title, () => assert.equal(found, expected));
  }
});

test('podPhase() is final once all containers have ended for good', () => {
  const words = fc.constantFrom<Word>('new', 'runs', 'done', 'failed');
  const all = fc.record({ init: words, side: words, a: words, b: words });
  fc.assert(
    fc.property(
      all,
      fc.constantFrom<RestartPolicy>('Always', 'OnFailure', 'Never'),
      (found, restartPolicy) => {
        const phase = podPhase({ ...spec, restartPolicy }, records(found));
        const main = [found.a, found.b];
        if (restartPolicy === 'Always') assert.ok(phase === 'Pending' || phase === 'Running');
        if (phase === 'Succeeded') assert.deepEqual(main, ['done', 'done']);
        if (phase === 'Failed') assert.ok([found.init, ...main].includes('failed'));
        if (main.includes('runs')) assert.ok(phase !== 'Succeeded');
      },
    ),
  );
});

test('nextBackoff() is none, then 10 s, doubling to five minutes, and starts anew after ten', () => {
  let backoff = noBackoff;
  const waits: number[] = [];
  for (let run = 0; run < 8; run++) {
    backoff = nextBackoff(backoff, { startedAtMs: 0, endedAtMs: 1_000 });
    waits.push((backoff.untilMs - 1_000) / 1_000);
  }
  assert.deepEqual(waits, [0, 10, 20, 40, 80, 160, 300, 300]);
  assert.equal(formatBackoff(6), '2m40s');
  const healed = nextBackoff(backoff, { startedAtMs: 0, endedAtMs: 600_000 });
  assert.deepEqual(healed, { failures: 1, untilMs: 600_000 });
});

test('nextProbeState() changes its mind only after as many results in a row as the probe says', () => {
  const probe = { successThreshold: 2, failureThreshold: 3 };
  const kinds = fc.constantFrom('readiness' as const, 'liveness' as const, 'startup' as const);
  fc.assert(
    fc.property(kinds, fc.array(fc.boolean(), { maxLength: 30 }), (kind, results) => {
      let state = initialProbeState(kind);
      for (const [at, ok] of results.entries()) {
        const before = state;
        state = nextProbeState(state, ok, probe);
        const last = (count: number, wanted: boolean): boolean =>
          results.slice(Math.max(0, at + 1 - count), at + 1).every((result) => result === wanted);
        if (state.isWell && !before.isWell) assert.ok(at >= 1 && last(2, true));
        if (!state.isWell && before.isWell) assert.ok(at >= 2 && last(3, false));
        assert.equal(
          mustRestart(kind, state, probe),
          kind !== 'readiness' && at >= 2 && last(3, false),
        );
      }
    }),
  );
});
