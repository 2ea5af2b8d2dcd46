import { triggerType } from '@fnlet/api';
import { type HttpTriggerObject, httpTriggerType, parseHttpTrigger } from '@fnlet/api/kubeless';
import type { StatusUpdate } from '@fnlet/reconcile';
import type { ForeignKind, Standing } from '../foreign-objects.ts';
import { belongToFunction } from './belong-to-function.ts';
import { describeTriggers, type TriggerChild } from './describe-triggers.ts';
import { planReadyHappenings } from './plan-ready-happenings.ts';
import { type HttpTriggerTranslation, translateHttpTrigger } from './translate-http-trigger.ts';

/** HTTPTriggers of Kubeless, each brought to life by a Trigger of Fnlet. */
export const httpTriggers: ForeignKind<HttpTriggerObject, TriggerChild, HttpTriggerTranslation> = {
  name: 'fnlet-kubeless-http',
  type: httpTriggerType,
  childType: triggerType,
  parse: parseHttpTrigger,
  translate: translateHttpTrigger,
  wanted: (translation) => (translation.kind === 'translated' ? [translation.trigger] : undefined),
  planStatus: planHttpTriggerStatus,
  planHappenings: planReadyHappenings,
  attend: (owner, context) =>
    belongToFunction(owner, owner.spec['function-name'], { ...context, type: httpTriggerType }),
};

function planHttpTriggerStatus(
  standing: Standing<HttpTriggerObject, TriggerChild, HttpTriggerTranslation>,
): StatusUpdate {
  const [child] = standing.children;
  const ready = describeTriggers(standing, 'The route is being made ready');
  return {
    fields: { url: child?.status?.url ?? null },
    conditions: [{ type: 'Ready', ...ready }],
  };
}
