import { triggerType } from '@fnlet/api';
import {
  type KinesisTriggerObject,
  kinesisTriggerType,
  parseKinesisTrigger,
} from '@fnlet/api/kubeless';
import type { StatusUpdate } from '@fnlet/reconcile';
import type { ForeignKind, Standing } from '../foreign-objects.ts';
import { belongToFunction } from './belong-to-function.ts';
import { describeTriggers, type TriggerChild } from './describe-triggers.ts';
import { planReadyHappenings } from './plan-ready-happenings.ts';
import { translateKinesisTrigger } from './translate-kinesis-trigger.ts';
import type { TriggerTranslation } from './trigger-translation.ts';

/** KinesisTriggers of Kubeless, each brought to life by a Trigger of Fnlet. */
export const kinesisTriggers: ForeignKind<KinesisTriggerObject, TriggerChild, TriggerTranslation> =
  {
    name: 'fnlet-kubeless-kinesis',
    type: kinesisTriggerType,
    childType: triggerType,
    ownerName: (name) => /^(.+)\.kinesis$/.exec(name)?.[1],
    parse: parseKinesisTrigger,
    translate: translateKinesisTrigger,
    wanted: (translation) => (translation.kind === 'translated' ? translation.triggers : undefined),
    planStatus: planKinesisTriggerStatus,
    planHappenings: planReadyHappenings,
    attend: (owner, context) =>
      belongToFunction(owner, owner.spec['function-name'], {
        ...context,
        type: kinesisTriggerType,
      }),
  };

function planKinesisTriggerStatus(
  standing: Standing<KinesisTriggerObject, TriggerChild, TriggerTranslation>,
): StatusUpdate {
  const [child] = standing.children;
  const { lastEventTime, lag = 0, deadLetters = 0 } = child?.status ?? {};
  const ready = describeTriggers(standing, 'The stream is being opened');
  return {
    fields: { ...(lastEventTime === undefined ? {} : { lastEventTime }), lag, deadLetters },
    conditions: [{ type: 'Ready', ...ready }],
  };
}
