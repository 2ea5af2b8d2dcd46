import { ConfigMap, type Operator, operator } from '@fnlet/sdk/operator';
import { awayNamespace } from './tenant.ts';
import {
  answerWith,
  defineThing,
  group,
  type Thing,
  type ThingKind,
  wantedConfigMaps,
} from './thing.ts';

export const Zone: ThingKind = defineThing('Zone', 'Cluster');

/** Zones without this label are none of the operator's business. */
export const zoneLabel: string = `${group}/zone`;

/** Of the whole cluster, and only those that are labelled. */
export function zoneOperator(): Operator<Thing> {
  return operator(Zone, {
    owns: [ConfigMap],
    select: zoneLabel,
    backoff: { cap: '20s' },
    reconcile: ({ object }) => answerWith(object, wantedConfigMaps(Zone, object, awayNamespace)),
  });
}
