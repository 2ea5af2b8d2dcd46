import { sleep } from '@fnlet/base';
import { ConfigMap, type Operator, operator } from '@fnlet/sdk/operator';
import {
  answerWith,
  defineThing,
  type Fate,
  type Thing,
  type ThingKind,
  wantedConfigMaps,
} from './thing.ts';

export const Flaky: ThingKind = defineThing('Flaky');

/** Its function throws every now and then. */
export function flakyOperator({ strikes }: Fate): Operator<Thing> {
  return operator(Flaky, {
    owns: [ConfigMap],
    backoff: { cap: '20s' },
    reconcile({ object }) {
      if (strikes(0.5)) throw new Error('as fate would have it');
      return answerWith(object, wantedConfigMaps(Flaky, object));
    },
  });
}

export const Slow: ThingKind = defineThing('Slow');

/** Its function takes longer than it may every now and then, and is slow to notice. */
export function slowOperator({ strikes, clock }: Fate): Operator<Thing> {
  return operator(Slow, {
    owns: [ConfigMap],
    concurrency: 2,
    deadline: '2s',
    backoff: { cap: '20s' },
    async reconcile({ object, signal }) {
      const isInTime = await sleep(clock, strikes(0.4) ? 10_000 : 500, signal);
      if (!isInTime) await sleep(clock, 500);
      signal.throwIfAborted();
      return answerWith(object, wantedConfigMaps(Slow, object));
    },
  });
}
