import { apiVersion, brokerType, kymaBrokerName, triggerType } from '@fnlet/api';
import {
  parseSubscription,
  type SubscriptionObject,
  subscriptionType,
} from '@fnlet/api/kyma-modules';
import { findCondition, type KubeObject } from '@fnlet/machinery';
import type { Happening, KindContext, StatusUpdate } from '@fnlet/reconcile';
import type { ForeignKind, Standing } from '../foreign-objects.ts';
import { belongTo } from './belong-to.ts';
import { planTriggerState, type TriggerChild } from './plan-trigger-state.ts';
import { type SubscriptionTranslation, translateSubscription } from './translate-subscription.ts';

/** Subscriptions of Kyma, each brought to life by a Trigger of Fnlet on a Broker of its namespace. */
export const subscriptions: ForeignKind<SubscriptionObject, TriggerChild, SubscriptionTranslation> =
  {
    name: 'fnlet-kyma-subscriptions',
    type: subscriptionType,
    childType: triggerType,
    // Kyma's own controller, which is not there, would take it off.
    finalizer: 'eventing.kyma-project.io',
    parse: parseSubscription,
    translate: translateSubscription,
    wanted: (translation) =>
      translation.kind === 'translated' ? [translation.trigger] : undefined,
    planStatus: planSubscriptionStatus,
    planHappenings: planSubscriptionHappenings,
    attend: keepBroker,
  };

/** Its Broker is there as long as there is a Subscription. */
async function keepBroker(owner: SubscriptionObject, context: KindContext): Promise<void> {
  const { client, signal } = context;
  const { namespace = '' } = owner.metadata;
  const brokers = client.of<KubeObject>(brokerType);
  const key = { namespace, name: kymaBrokerName };
  const wanted = { apiVersion, kind: 'Broker', metadata: key, spec: {} };
  const found =
    (await brokers.tryGet(key, { signal })) ??
    (await brokers.apply(wanted, { force: true, signal }));
  await belongTo(found, owner, { client, signal, type: brokerType });
}

const specValid = 'Subscription spec valid';
const active = 'Subscription active';

function planSubscriptionStatus(
  standing: Standing<SubscriptionObject, TriggerChild, SubscriptionTranslation>,
): StatusUpdate {
  const { translation } = standing;
  const { isDone, isPending, message } = planTriggerState(standing, 1);
  const isValid = translation.kind === 'translated';
  // Kyma's own types and reasons: programs compare them.
  const validity = isValid ? 'has no' : 'has';
  return {
    fields: { ready: isDone, types: isValid ? translation.types : [] },
    conditions: [
      {
        type: specValid,
        status: isValid ? 'True' : 'False',
        reason: `Subscription spec ${validity} validation errors`,
        message: isValid ? '' : translation.reasons.join('; '),
      },
      {
        type: active,
        status: isDone ? 'True' : isPending ? 'Unknown' : 'False',
        reason: isDone ? 'NATS Subscription active' : 'NATS Subscription not active',
        message,
      },
    ],
  };
}

function planSubscriptionHappenings(
  before: SubscriptionObject,
  after: SubscriptionObject,
): readonly Happening[] {
  const known = findCondition(before.status?.conditions, active);
  const { status, message = '' } = findCondition(after.status?.conditions, active) ?? {};
  if (status === known?.status || status === 'Unknown' || status === undefined) return [];
  return status === 'True'
    ? [{ type: 'Normal', reason: 'Subscribed', message: 'Events are delivered to its sink' }]
    : [{ type: 'Warning', reason: 'NotSubscribed', message }];
}
