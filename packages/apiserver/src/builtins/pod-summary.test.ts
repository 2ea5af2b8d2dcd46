import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '@fnlet/base';
import type { KubeObject } from '@fnlet/machinery';
import { summarizePod } from './pod-summary.ts';

const at = '2026-01-01T00:00:00Z';
const running = { state: { running: {} }, ready: true, started: true };
const over = { state: { terminated: { exitCode: 0, reason: 'Completed' } }, ready: false };
const failed = { state: { terminated: { exitCode: 1, reason: 'Error' } }, ready: false };
const killed = { state: { terminated: { exitCode: 137, signal: 9 } }, ready: false };
const waits = (reason: string): JsonObject => ({ state: { waiting: { reason } }, ready: false });
const restarted = { restartCount: 2, lastState: { terminated: { finishedAt: at } } };

interface Parts {
  /** Statuses of init containers; those that say `sidecar` are some. */
  readonly inits?: readonly JsonObject[];
  readonly mains?: readonly JsonObject[];
  readonly conditions?: readonly JsonObject[];
  readonly phase?: string;
  readonly deleted?: boolean;
}

function newPod({ inits = [], mains = [], conditions = [], phase, deleted }: Parts): KubeObject {
  const named = (statuses: readonly JsonObject[]): JsonObject[] =>
    statuses.map((status, index) => ({ ...status, name: `c${index}` }));
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web', ...(deleted === true ? { deletionTimestamp: at } : {}) },
    spec: {
      initContainers: named(inits).map(({ name, sidecar }) =>
        sidecar === true ? { name, restartPolicy: 'Always' } : { name },
      ),
      containers: named(mains),
    },
    status: {
      phase: phase ?? 'Pending',
      ...{ conditions, initContainerStatuses: named(inits), containerStatuses: named(mains) },
    },
  };
}

const initialized = [{ type: 'Initialized', status: 'True' }];
const creating = waits('PodInitializing');
const rows: readonly (readonly [name: string, parts: Parts, shown: string])[] = [
  ['an init container that waits', { inits: [creating], mains: [creating] }, '0/1 Init:0/1 0'],
  [
    'an image that cannot be pulled',
    { inits: [over, waits('ImagePullBackOff')], mains: [creating] },
    '0/1 Init:ImagePullBackOff 0',
  ],
  ['the second of two', { inits: [over, running], mains: [creating] }, '0/1 Init:1/2 0'],
  ['one that failed', { inits: [failed], mains: [creating] }, '0/1 Init:Error 0'],
  ['one that was killed', { inits: [killed], mains: [creating] }, '0/1 Init:Signal:9 0'],
  [
    'one that begins again',
    { inits: [{ ...waits('CrashLoopBackOff'), ...restarted }], mains: [creating] },
    `0/1 Init:CrashLoopBackOff 2 ${at}`,
  ],
  [
    'a sidecar beside a container',
    {
      ...{ inits: [{ ...running, ...restarted, sidecar: true }], mains: [running] },
      ...{ conditions: initialized, phase: 'Running' },
    },
    `2/2 Running 2 ${at}`,
  ],
  [
    'restarts of what is over do not count',
    {
      ...{ inits: [{ ...over, ...restarted }], mains: [running] },
      ...{ conditions: initialized, phase: 'Running' },
    },
    '1/1 Running 0',
  ],
  ['one of two failed', { mains: [over, failed], phase: 'Failed' }, '0/2 Error 0'],
  ['a deleted one', { mains: [running], phase: 'Running', deleted: true }, '1/1 Terminating 0'],
  [
    'a deleted one that was over',
    { mains: [over], phase: 'Failed', deleted: true },
    '0/1 Completed 0',
  ],
  [
    'one that nobody schedules yet',
    { conditions: [{ type: 'PodScheduled', status: 'False', reason: 'SchedulingGated' }] },
    '0/0 SchedulingGated 0',
  ],
];

for (const [name, parts, expected] of rows) {
  test(`summarizePod() of ${name}`, () => {
    const { ready, total, word, restarts, restartedAt } = summarizePod(newPod(parts));
    const shown = `${ready}/${total} ${word} ${restarts} ${restartedAt}`.trim();
    assert.equal(shown, expected);
  });
}
