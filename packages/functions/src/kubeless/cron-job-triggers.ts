import { triggerType } from '@fnlet/api';
import {
  type CronJobTriggerObject,
  cronJobTriggerType,
  parseCronJobTrigger,
} from '@fnlet/api/kubeless';
import type { StatusUpdate } from '@fnlet/reconcile';
import type { ForeignKind, Standing } from '../foreign-objects.ts';
import { belongToFunction } from './belong-to-function.ts';
import { describeTriggers, type Statement, type TriggerChild } from './describe-triggers.ts';
import { planReadyHappenings } from './plan-ready-happenings.ts';
import { translateCronTrigger } from './translate-cron-trigger.ts';
import type { TriggerTranslation } from './trigger-translation.ts';

type CronStanding = Standing<CronJobTriggerObject, TriggerChild, TriggerTranslation>;

/** CronJobTriggers of Kubeless, each brought to life by a Trigger of Fnlet. */
export const cronJobTriggers: ForeignKind<CronJobTriggerObject, TriggerChild, TriggerTranslation> =
  {
    name: 'fnlet-kubeless-cron',
    type: cronJobTriggerType,
    childType: triggerType,
    ownerName: (name) => /^(.+)\.cronjob$/.exec(name)?.[1],
    parse: parseCronJobTrigger,
    translate: translateCronTrigger,
    wanted: (translation) => (translation.kind === 'translated' ? translation.triggers : undefined),
    planStatus: planCronTriggerStatus,
    planHappenings: planReadyHappenings,
    attend: (owner, context) =>
      belongToFunction(owner, owner.spec['function-name'], {
        ...context,
        type: cronJobTriggerType,
      }),
  };

function planCronTriggerStatus(standing: CronStanding): StatusUpdate {
  const [child] = standing.children;
  const { lastEventTime, lastDeliveryTime, nextFireTime } = child?.status ?? {};
  return {
    fields: {
      ...(lastEventTime === undefined ? {} : { lastScheduleTime: lastEventTime }),
      ...(lastDeliveryTime === undefined ? {} : { lastSuccessfulTime: lastDeliveryTime }),
      nextScheduleTime: nextFireTime ?? null,
    },
    conditions: [{ type: 'Ready', ...describeReady(standing) }],
  };
}

/** Whether its function is called, and takes it. */
function describeReady(standing: CronStanding): Statement {
  const [child] = standing.children;
  const ready = describeTriggers(standing, 'The schedule is being made ready');
  const { failures = 0, lastFailure = 'no answer' } = child?.status ?? {};
  if (ready.status !== 'True' || failures === 0) return ready;
  return { status: 'False', reason: 'CallFailed', message: lastFailure };
}
