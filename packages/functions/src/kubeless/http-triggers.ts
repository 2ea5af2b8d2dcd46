import {
  type FunctionObject,
  functionType,
  type TriggerObject,
  triggerConditions,
  triggerType,
} from '@fnlet/api';
import { type HttpTriggerObject, httpTriggerType, parseHttpTrigger } from '@fnlet/api/kubeless';
import { type ConditionUpdate, findCondition } from '@fnlet/machinery';
import type { KindContext, StatusUpdate } from '@fnlet/reconcile';
import type { ObjectShape } from '@fnlet/sdk/operator';
import type { ForeignKind, Standing } from '../foreign-objects.ts';
import { belongToFunction } from './belong-to-function.ts';
import { planReadyHappenings } from './plan-ready-happenings.ts';
import { type HttpTriggerTranslation, translateHttpTrigger } from './translate-http-trigger.ts';

type HttpTriggerChild = ObjectShape & Pick<TriggerObject, 'status'>;

/** HTTPTriggers of Kubeless, each brought to life by a Trigger of Fnlet. */
export const httpTriggers: ForeignKind<
  HttpTriggerObject,
  HttpTriggerChild,
  HttpTriggerTranslation
> = {
  name: 'fnlet-kubeless-http',
  type: httpTriggerType,
  childType: triggerType,
  parse: parseHttpTrigger,
  translate: translateHttpTrigger,
  wanted: (translation) => (translation.kind === 'translated' ? translation.trigger : undefined),
  planStatus: planHttpTriggerStatus,
  planHappenings: planReadyHappenings,
  attend: belongToTarget,
};

async function belongToTarget(owner: HttpTriggerObject, context: KindContext): Promise<void> {
  const { namespace = '' } = owner.metadata;
  const key = { namespace, name: owner.spec['function-name'] };
  const target = await context.client
    .of<FunctionObject>(functionType)
    .tryGet(key, { signal: context.signal });
  if (target === undefined) return;
  await belongToFunction(owner, target, { ...context, type: httpTriggerType });
}

type Statement = Pick<ConditionUpdate, 'status' | 'reason' | 'message'>;

function planHttpTriggerStatus(
  standing: Standing<HttpTriggerObject, HttpTriggerChild, HttpTriggerTranslation>,
): StatusUpdate {
  return {
    fields: { url: standing.child?.status?.url ?? null },
    conditions: [{ type: 'Ready', ...describeReady(standing) }],
  };
}

/** What becomes of the Trigger, or why there is none. */
function describeReady({
  translation,
  child,
  obstacle,
}: Standing<HttpTriggerObject, HttpTriggerChild, HttpTriggerTranslation>): Statement {
  if (obstacle !== undefined) return { status: 'False', reason: 'NameTaken', message: obstacle };
  if (translation.kind === 'refused') {
    return { status: 'False', reason: 'InvalidSpec', message: translation.reasons.join('; ') };
  }
  const found = findCondition(child?.status?.conditions, triggerConditions.ready);
  if (found === undefined || found.observedGeneration !== child?.metadata.generation) {
    return { status: 'Unknown', reason: 'Opening', message: 'The route is being made ready' };
  }
  const { notices } = translation;
  const { status, reason = '', message = '' } = found;
  const isNews = status === 'True' && notices.length > 0;
  return { status, reason, message: isNews ? `${message}. ${notices.join('; ')}` : message };
}
