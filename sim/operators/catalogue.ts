import type { Operator } from '@fnlet/sdk/operator';
import { Bundle, bundleOperator } from './bundle.ts';
import { Flaky, flakyOperator, Slow, slowOperator } from './faulty.ts';
import { Mirror } from './mirror.ts';
import { Site, siteOperator } from './site.ts';
import { Tenant, tenantOperator } from './tenant.ts';
import type { Fate, ThingKind } from './thing.ts';
import { Ticker, tickerOperator } from './ticker.ts';
import { Zone, zoneOperator } from './zone.ts';

/** The kinds that users of the simulated world make objects of. */
export const kinds: readonly ThingKind[] = [
  Site,
  Bundle,
  Tenant,
  Zone,
  Ticker,
  Flaky,
  Slow,
  Mirror,
];

/** The declarative operators of the world. */
export function operators(fate: Fate): readonly Operator[] {
  return [
    siteOperator(),
    bundleOperator(),
    tenantOperator(fate),
    zoneOperator(),
    tickerOperator(),
    flakyOperator(fate),
    slowOperator(fate),
  ];
}

/** Under which names they own fields. */
export const operatorNames: ReadonlySet<string> = new Set([
  ...kinds.map(({ plural, group }) => `${plural}.${group}`),
  'sim',
]);
