import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SourceStatus } from '@fnlet/api';
import { planConditions, type Standing } from './plan-conditions.ts';
import type { RolloutFailure } from './rollout-failure.ts';
import type { RolloutState } from './rollout-state.ts';

const base = { revision: 'b', generation: 1, attempt: 1, startedAtMs: 0 };

const loadFailed: RolloutFailure = {
  step: 'load',
  reason: 'LoadFailed',
  message: 'handler.ts:3: Unexpected token',
  backoff: undefined,
};

function failedAt(step: RolloutFailure['step']): RolloutState {
  const failure = { ...loadFailed, step };
  return { ...base, phase: 'failed', failure, retryAtMs: undefined };
}

const nowhere: Standing = {
  served: undefined,
  isProven: false,
  split: undefined,
  canary: undefined,
  detour: {},
  cause: undefined,
  isLate: false,
  rollout: undefined,
  blocked: undefined,
  source: {},
  warning: undefined,
  trouble: undefined,
};

const shortage = { revision: 'b', ready: 1, needed: 3 };
const canary = { isOver: false, message: 'Revision b gets 10 % of the calls, step 1 of 2' };

const cases: readonly [string, Partial<Standing>, readonly string[]][] = [
  [
    'everything is well',
    { served: 'b', isProven: true },
    [
      'Ready=True/Ready',
      'SourceReady=True/Ready',
      'DependenciesReady=True/Ready',
      'RoutesReady=True/Ready',
    ],
  ],
  [
    'the first Revision is being prepared',
    { rollout: { ...base, phase: 'preparing', progress: undefined } },
    [
      'Ready=Unknown/Preparing',
      'SourceReady=Unknown/Preparing',
      'DependenciesReady=Unknown/Preparing',
      'RoutesReady=False/NoRevision',
    ],
  ],
  [
    'a newer Revision starts while the old one serves',
    { served: 'a', rollout: { ...base, phase: 'starting' } },
    [
      'Ready=Unknown/Starting',
      'SourceReady=True/Ready',
      'DependenciesReady=True/Ready',
      'RoutesReady=True/PreviousRevision',
    ],
  ],
  [
    'a newer Revision does not load while the old one serves',
    { served: 'a', rollout: failedAt('load') },
    [
      'Ready=False/LoadFailed',
      'SourceReady=True/Ready',
      'DependenciesReady=True/Ready',
      'RoutesReady=True/PreviousRevision',
    ],
  ],
  [
    'dependencies fail and nothing served before',
    { rollout: failedAt('dependencies') },
    [
      'Ready=False/LoadFailed',
      'SourceReady=True/Ready',
      'DependenciesReady=False/LoadFailed',
      'RoutesReady=False/NoRevision',
    ],
  ],
  [
    'the source cannot be stored',
    { rollout: failedAt('source') },
    [
      'Ready=False/LoadFailed',
      'SourceReady=False/LoadFailed',
      'DependenciesReady=Unknown/Preparing',
      'RoutesReady=False/NoRevision',
    ],
  ],
  [
    'its runtime is retired',
    { served: 'a', isProven: true, warning: 'Runtime nodejs8 is retired' },
    [
      'Ready=True/Ready',
      'SourceReady=True/Ready',
      'DependenciesReady=True/Ready',
      'RoutesReady=True/Ready',
    ],
  ],
  [
    'a Secret is missing',
    { served: 'a', blocked: { reason: 'EnvironmentNotFound', message: 'Secret "s" is missing' } },
    [
      'Ready=False/EnvironmentNotFound',
      'SourceReady=False/EnvironmentNotFound',
      'DependenciesReady=Unknown/Preparing',
      'RoutesReady=True/PreviousRevision',
    ],
  ],
  [
    'the source is being asked for',
    { served: 'a', blocked: { reason: 'Preparing', message: 'Asking https://host/x for main' } },
    [
      'Ready=Unknown/Preparing',
      'SourceReady=Unknown/Preparing',
      'DependenciesReady=Unknown/Preparing',
      'RoutesReady=True/PreviousRevision',
    ],
  ],
  [
    'the server of the source is away',
    {
      served: 'b',
      isProven: true,
      source: {
        found: { url: 'https://host/x', reference: 'main', commit: 'c'.repeat(40) },
        trouble: { reason: 'SourceUnreachable', message: 'Cannot reach it' },
      },
    },
    [
      'Ready=True/Ready',
      'SourceReady=False/SourceUnreachable',
      'DependenciesReady=True/Ready',
      'RoutesReady=True/Ready',
    ],
  ],
  [
    'what serves crashes',
    { served: 'b', isProven: true, trouble: { ...loadFailed, reason: 'InstanceCrashed' } },
    [
      'Ready=False/InstanceCrashed',
      'SourceReady=True/Ready',
      'DependenciesReady=True/Ready',
      'RoutesReady=False/InstanceCrashed',
    ],
  ],
];

const stored = ['SourceReady=True/Ready', 'DependenciesReady=True/Ready'];

const taken: readonly [string, Partial<Standing>, readonly [string, string]][] = [
  [
    'calls go to several Revisions because the spec says so',
    { split: '90 % to a, 10 % to b' },
    ['Ready=True/Ready', 'RoutesReady=True/TrafficSplit'],
  ],
  [
    'the Instances for a share are on their way',
    { detour: { shortage } },
    ['Ready=Unknown/InstancesMissing', 'RoutesReady=True/Ready'],
  ],
  [
    'the Instances for a share do not come',
    { detour: { shortage }, isLate: true },
    ['Ready=False/InstancesMissing', 'RoutesReady=True/Ready'],
  ],
  [
    'traffic names a Revision that is not there',
    { detour: { lost: 'c' } },
    ['Ready=False/RevisionNotFound', 'RoutesReady=True/Ready'],
  ],
  [
    'a canary is under way',
    { split: '90 % to a, 10 % to b', canary },
    ['Ready=Unknown/Canary', 'RoutesReady=True/TrafficSplit'],
  ],
  [
    'a canary was rolled back',
    { canary: { isOver: true, message: 'Revision b was rolled back' } },
    ['Ready=False/CanaryFailed', 'RoutesReady=True/Ready'],
  ],
];

const all = [
  ...cases,
  ...taken.map(([title, standing, [ready = '', routes = '']]) => {
    const proven = { served: 'a', isProven: true, ...standing };
    return [title, proven, [ready, ...stored, routes]] as const;
  }),
];

for (const [title, standing, expected] of all) {
  test(`planConditions(): ${title}`, () => {
    const conditions = planConditions({ ...nowhere, ...standing });
    const texts = conditions.map(({ type, status, reason }) => `${type}=${status}/${reason}`);
    assert.deepEqual(texts, expected);
    for (const { message } of conditions) assert.ok(message);
    const routes = conditions.find(({ type }) => type === 'RoutesReady');
    const ready = conditions.find(({ type }) => type === 'Ready');
    const saysTwice = standing.trouble === undefined && routes?.message === ready?.message;
    assert.ok(!saysTwice, `RoutesReady only repeats "${ready?.message}"`);
    if (routes?.reason === 'NoRevision')
      assert.match(routes.message ?? '', /^Nothing serves yet: no /);
  });
}

test('planConditions() names the commit or the archive that is stored', () => {
  const standing = { ...nowhere, served: 'a', isProven: true };
  const said = (found: SourceStatus): string | undefined =>
    planConditions({ ...standing, source: { found } })[1]?.message;
  const commit = '0123456789'.repeat(4);
  assert.equal(said({ commit, reference: 'main' }), 'Commit 0123456789 (main) is stored');
  assert.equal(said({ commit }), 'Commit 0123456789 is stored');
  assert.equal(said({ digest: 'ab' }), 'The archive sha256:ab is stored');
});

test('planConditions() shows how an installation goes', () => {
  const [ready] = planConditions({
    ...nowhere,
    rollout: { ...base, phase: 'preparing', progress: 'added 3 packages' },
  });
  assert.equal(ready?.message, 'added 3 packages');
});

test('planConditions() warns of a retired runtime', () => {
  const [ready] = planConditions({
    ...nowhere,
    served: 'a',
    isProven: true,
    warning: 'Runtime nodejs8 is retired: the code runs on nodejs24',
  });
  assert.match(ready?.message ?? '', /^The newest code serves\. Runtime nodejs8 is retired/);
});
