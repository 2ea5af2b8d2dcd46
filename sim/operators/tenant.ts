import { ConfigMap, done, type Operator, operator } from '@fnlet/sdk/operator';
import {
  answerWith,
  defineThing,
  type Fate,
  type Thing,
  type ThingKind,
  wantedConfigMaps,
} from './thing.ts';

export const Tenant: ThingKind = defineThing('Tenant');

/** Where children are that no owner reference reaches. */
export const awayNamespace = 'away';

/** Children in another namespace and something outside of the cluster: both are cleaned up. */
export function tenantOperator({ outside, strikes }: Fate): Operator<Thing> {
  return operator(Tenant, {
    owns: [ConfigMap],
    finalizer: true,
    concurrency: 2,
    backoff: { cap: '20s' },
    reconcile({ object }) {
      outside.made.add(object.metadata.uid ?? '');
      return answerWith(object, wantedConfigMaps(Tenant, object, awayNamespace));
    },
    cleanup({ object }) {
      if (strikes(0.3)) return { requeueAfter: '3s' };
      outside.undone.add(object.metadata.uid ?? '');
      return done();
    },
  });
}
