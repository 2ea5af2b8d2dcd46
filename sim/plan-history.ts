import { assert, type Random, randomInt } from '@fnlet/base';
import type { Action, FaultAction, ProcessAction, Step, UserAction } from './action.ts';
import { kinds } from './operators/catalogue.ts';

const stepsMin = 20;
const stepsMax = 70;
/** Three names a kind, so that histories come back to the same objects. */
const names = ['a', 'b', 'c'] as const;
const resources = [
  ...kinds.map(({ plural }) => plural),
  ...['configmaps', 'deployments', 'services', 'leases'],
];
const faults = ['gone', 'conflict', 'throttle', 'unavailable', 'fail', 'loseAnswer'] as const;
const processActions = ['kill', 'stop', 'start', 'start', 'cut', 'heal', 'deafen', 'hear'] as const;

/** A random history of users, faults and processes. */
export function planHistory(random: Random, replicas: number): readonly Step[] {
  const start = kinds.flatMap(({ kind }) => creation(random, kind, 'a'));
  const count = stepsMin + randomInt(random, stepsMax - stepsMin);
  const rest = Array.from({ length: count }, () => anyAction(random, replicas));
  return [...start, ...rest].map((action) => ({ afterMs: gapMs(random), action }));
}

// Much happens at once, and now and then nothing for long.
function gapMs(random: Random): number {
  const chance = random.next();
  if (chance < 0.3) return 0;
  return chance < 0.9 ? randomInt(random, 2_000) : randomInt(random, 20_000);
}

function creation(random: Random, kind: string, name: string): UserAction[] {
  const label: UserAction = { type: 'label', kind, name, isOn: true };
  const made: UserAction = { type: 'create', kind, name, ...wish(random) };
  return kind === 'Zone' ? [made, label] : [made];
}

function anyAction(random: Random, replicas: number): Action {
  const chance = random.next();
  if (chance < 0.6) return userAction(random);
  if (chance < 0.85) return faultAction(random);
  return processAction(random, replicas);
}

function wish(random: Random): { readonly text: string; readonly count: number } {
  return { text: `t${randomInt(random, 1000)}`, count: randomInt(random, 3) };
}

type Maker = (
  random: Random,
  place: { readonly kind: string; readonly name: string },
) => UserAction;

const makers: readonly Maker[] = [
  (random, place) => ({ type: 'create', ...place, ...wish(random) }),
  (random, place) => ({ type: 'create', ...place, ...wish(random) }),
  (random, place) => ({ type: 'change', ...place, ...wish(random) }),
  (random, place) => ({ type: 'change', ...place, ...wish(random) }),
  (random, place) => ({ type: 'change', ...place, ...wish(random) }),
  (random, place) => ({ type: 'recreate', ...place, ...wish(random) }),
  (_, place) => ({ type: 'delete', ...place }),
  (random, { name }) => ({ type: 'label', kind: 'Zone', name, isOn: random.next() < 0.6 }),
  (random, place) => ({ type: 'pause', ...place, isOn: random.next() < 0.4 }),
  (random, place) => ({ type: 'finalizer', ...place, isOn: random.next() < 0.5 }),
  (_, place) => ({ type: 'drift', ...place }),
  (_, place) => ({ type: 'remove child', ...place }),
  (random, place) => ({ type: 'meddle', ...place, text: wish(random).text }),
  (_, place) => ({ type: 'squat', ...place }),
  (random, { name }) => {
    return { type: 'part', name, bundle: pick(random, names), text: wish(random).text };
  },
  (random, { name }) => {
    return { type: 'part', name, bundle: pick(random, names), text: wish(random).text };
  },
  (_, { name }) => ({ type: 'remove part', name }),
  (random, { kind }) => ({ type: 'definition', kind, note: wish(random).text }),
  (random) => ({ type: 'rights', level: pick(random, ['all', 'all', 'read', 'none']) }),
];

function userAction(random: Random): UserAction {
  const { kind } = pick(random, kinds);
  return pick(random, makers)(random, { kind, name: pick(random, names) });
}

function faultAction(random: Random): FaultAction {
  const resource = pick(random, resources);
  const times = 1 + randomInt(random, 4);
  const chance = random.next();
  if (chance < 0.2) return { type: 'drop watches', resource };
  if (chance < 0.4) return { type: 'slow', resource, times, delayMs: randomInt(random, 15_000) };
  return { type: 'fault', fault: pick(random, faults), resource, times };
}

function processAction(random: Random, replicas: number): ProcessAction {
  return { type: pick(random, processActions), replica: randomInt(random, replicas) };
}

function pick<T>(random: Random, choices: readonly T[]): T {
  const found = choices[randomInt(random, choices.length)];
  assert(found !== undefined, 'there is something to choose from');
  return found;
}
