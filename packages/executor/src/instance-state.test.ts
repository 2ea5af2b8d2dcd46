import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import {
  type InstanceEffect,
  type InstanceInput,
  type InstanceState,
  startInstance,
  stepInstance,
} from './instance-state.ts';
import { limits } from './limits.ts';

const failure = { code: 'SyntaxError', message: 'no' } as const;
const assigned: InstanceInput = { type: 'assigned' };
const ready: InstanceInput = { type: 'ready' };
const failed: InstanceInput = { type: 'failed', failure };
const exited: InstanceInput = { type: 'exited', code: 1, signal: null };
const due: InstanceInput = { type: 'due' };
const unavailable: InstanceInput = { type: 'unavailable', failure };
const drain = (graceMs: number): InstanceInput => ({ type: 'drain', graceMs });

function format(effect: InstanceEffect): string {
  if (effect.type === 'emit') return `tell ${effect.kind}`;
  return effect.type === 'signal' ? effect.signal : effect.type;
}

/** A life as a text: at which second which input led to which phase, and what was done. */
function transcript(inputs: readonly (readonly [number, InstanceInput])[]): string[] {
  const first = startInstance();
  let { state } = first;
  const lines = [`new -> ${state.phase}: ${first.effects.map(format).join(', ')}`];
  for (const [second, input] of inputs) {
    const step = stepInstance(state, input, second * 1_000);
    state = step.state;
    const wait = state.dueAtMs === undefined ? '' : `, due at ${state.dueAtMs / 1_000}`;
    const effects = step.effects.map(format).join(', ');
    lines.push(`${second} ${input.type} -> ${state.phase}${wait}: ${effects}`.replace(/: $/, ''));
  }
  return lines;
}

it('a life without trouble', () => {
  assert.deepEqual(
    transcript([
      [1, assigned],
      [2, ready],
      [9, drain(30_000)],
      [10, exited],
    ]),
    [
      'new -> starting: tell starting, order',
      '1 assigned -> starting, due at 31: specialise',
      '2 ready -> ready: tell ready',
      '9 drain -> draining, due at 39: tell draining, drain',
      '10 exited -> stopped: tell stopped',
    ],
  );
});

it('the first crash is replaced at once, the next ones wait longer and longer', () => {
  const life: (readonly [number, InstanceInput])[] = [];
  for (const at of [0, 1, 11, 31, 71])
    life.push([at, due], [at, assigned], [at, ready], [at, exited]);
  assert.deepEqual(
    transcript(life).filter((line) => line.includes('exited')),
    [
      '0 exited -> starting: tell crashed, tell starting, order',
      '1 exited -> backingOff, due at 11: tell crashed',
      '11 exited -> backingOff, due at 31: tell crashed',
      '31 exited -> backingOff, due at 71: tell crashed',
      '71 exited -> backingOff, due at 151: tell crashed',
    ],
  );
});

it('ten healthy minutes make up for earlier crashes', () => {
  const life: (readonly [number, InstanceInput])[] = [
    [0, assigned],
    [0, exited],
    [0, assigned],
    [0, ready],
    [600, exited],
    [600, assigned],
    [600, exited],
  ];
  assert.deepEqual(transcript(life).slice(-3), [
    '600 exited -> starting: tell crashed, tell starting, order',
    '600 assigned -> starting, due at 630: specialise',
    '600 exited -> backingOff, due at 610: tell crashed',
  ]);
});

it('code that does not load is killed, told, and waits from the first time on', () => {
  assert.deepEqual(
    transcript([
      [0, assigned],
      [1, failed],
      [1, ready],
      [1, exited],
      [11, due],
    ]),
    [
      'new -> starting: tell starting, order',
      '0 assigned -> starting, due at 30: specialise',
      '1 failed -> starting: SIGKILL',
      '1 ready -> starting',
      '1 exited -> backingOff, due at 11: tell loadFailed',
      '11 due -> starting: tell starting, order',
    ],
  );
});

it('code that loads for ever is given up', () => {
  assert.deepEqual(
    transcript([
      [0, assigned],
      [29, due],
      [30, due],
      [30, exited],
    ]).slice(2),
    [
      '29 due -> starting, due at 30',
      '30 due -> starting: SIGKILL',
      '30 exited -> backingOff, due at 40: tell loadFailed',
    ],
  );
});

it('a file that loads for ever is named, in the life of the process that loads it', () => {
  const loading: InstanceInput = { type: 'loading', file: 'a.ts' };
  let { state } = startInstance();
  const failures: unknown[] = [];
  for (const [second, input] of [
    [0, assigned],
    [0, loading],
    [30, due],
    [30, exited],
    [40, due],
    [40, assigned],
    [70, due],
    [70, exited],
  ] as const) {
    state = stepInstance(state, input, second * 1_000).state;
    if (input === exited) failures.push(state.lastExit?.failure);
  }
  const expected = 'expected no endless loop and no top-level await that nothing resolves';
  const [code, found] = ['LoadTimeout', `found no end of it after 30 s, ${expected}`];
  assert.deepEqual(failures, [
    { code, message: `Cannot load "a.ts": ${found}`, file: 'a.ts' },
    { code, message: `Cannot load the code: ${found}` },
  ]);
});

it('a Runner that cannot be had is told, and waited for', () => {
  assert.deepEqual(
    transcript([
      [0, unavailable],
      [10, due],
    ]).slice(1),
    [
      '0 unavailable -> backingOff, due at 10: tell loadFailed',
      '10 due -> starting: tell starting, order',
    ],
  );
});

it('draining ends with SIGTERM, then SIGKILL', () => {
  const life: (readonly [number, InstanceInput])[] = [
    [0, assigned],
    [0, ready],
    [0, drain(30_000)],
  ];
  assert.deepEqual(transcript([...life, [30, due], [32, due], [34, due], [35, exited]]).slice(4), [
    '30 due -> draining, due at 32: SIGTERM',
    '32 due -> draining, due at 34: SIGKILL',
    '34 due -> draining, due at 36: SIGKILL',
    '35 exited -> stopped: tell stopped',
  ]);
});

it('patience while draining only gets shorter, and none means SIGKILL', () => {
  const life: (readonly [number, InstanceInput])[] = [
    [0, assigned],
    [0, ready],
    [0, drain(30_000)],
  ];
  assert.deepEqual(
    transcript([...life, [1, drain(60_000)], [2, drain(5_000)], [3, drain(0)]]).slice(4),
    [
      '1 drain -> draining, due at 30',
      '2 drain -> draining, due at 7',
      '3 drain -> draining, due at 5: SIGKILL',
    ],
  );
});

it('draining has no patience with what never was ready', () => {
  assert.deepEqual(
    transcript([
      [0, assigned],
      [1, drain(30_000)],
      [1, exited],
    ]).slice(2),
    ['1 drain -> draining, due at 3: tell draining, SIGTERM', '1 exited -> stopped: tell stopped'],
  );
});

it('draining is over at once when there is no process', () => {
  assert.deepEqual(
    transcript([
      [0, drain(30_000)],
      [1, drain(0)],
    ]).slice(1),
    ['0 drain -> stopped: cancelOrder, tell stopped', '1 drain -> stopped'],
  );
  assert.deepEqual(
    transcript([
      [0, unavailable],
      [1, drain(30_000)],
    ]).slice(2),
    ['1 drain -> stopped: cancelOrder, tell stopped'],
  );
});

it('whatever happens in whatever order, a life keeps its rules', () => {
  const input = fc.oneof(
    ...[assigned, ready, failed, exited, due, unavailable].map((value) => fc.constant(value)),
    fc.nat(40_000).map(drain),
  );
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(700_000), input), { maxLength: 60 }), (life) => {
      let { state } = startInstance();
      let now = 0;
      for (const [waitMs, next] of life) {
        now += waitMs;
        const step = stepInstance(state, next, now);
        checkStep(state, step.state, step.effects);
        state = step.state;
      }
    }),
  );
});

function checkStep(
  before: InstanceState,
  after: InstanceState,
  effects: readonly InstanceEffect[],
): void {
  for (const effect of effects) {
    if (effect.type === 'signal' || effect.type === 'drain') assert.ok(before.assigned);
  }
  if (before.phase === 'stopped') assert.equal(after, before);
  if (after.phase === 'ready') assert.ok(after.assigned && after.dueAtMs === undefined);
  if (after.phase === 'backingOff') assert.ok(!after.assigned && after.dueAtMs !== undefined);
  if (after.phase === 'draining') assert.ok(after.assigned && after.dueAtMs !== undefined);
  if (after.phase === 'stopped') assert.ok(!after.assigned && after.dueAtMs === undefined);
  // Whoever waits for a Runner has one on order, and nobody has two.
  const orders = effects.filter(({ type }) => type === 'order').length;
  const waits = (state: InstanceState): boolean => state.phase === 'starting' && !state.assigned;
  assert.equal(orders, waits(after) && !waits(before) ? 1 : 0);
  if (after.phase === 'backingOff' && before.phase !== 'backingOff') {
    const finishedAtMs = after.lastExit?.finishedAtMs ?? 0;
    const waitMs = (after.dueAtMs ?? 0) - finishedAtMs;
    assert.ok(waitMs >= limits.backoffBaseMs && waitMs <= limits.backoffCapMs);
  }
}
