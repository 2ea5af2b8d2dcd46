import { ConfigMap, type Operator, operator } from '@fnlet/sdk/operator';
import { answerWith, childName, defineThing, type Thing, type ThingKind } from './thing.ts';

export const Ticker: ThingKind = defineThing('Ticker');

const minuteMs = 60_000;

/** The whole minutes since the Unix epoch. */
export function minuteOf(nowMs: number): number {
  return Math.floor(nowMs / minuteMs);
}

/** What it wants changes with time alone: each minute. */
export function tickerOperator(): Operator<Thing> {
  return operator(Ticker, {
    owns: [ConfigMap],
    backoff: { cap: '20s' },
    reconcile({ object, now }) {
      const nowMs = Date.parse(now);
      const minute = minuteOf(nowMs);
      const data = { text: object.spec.text, minute: String(minute) };
      const name = childName(Ticker, object.metadata.name);
      const child = ConfigMap.of({ metadata: { name }, data });
      const leftMs = (minute + 1) * minuteMs - nowMs;
      return { ...answerWith(object, [child]), requeueAfter: `${leftMs}ms` };
    },
  });
}
