import { triggerType } from '@fnlet/api';
import { type ApiRuleObject, apiRuleType, parseApiRule } from '@fnlet/api/kyma-modules';
import type { Happening, StatusUpdate } from '@fnlet/reconcile';
import type { ForeignKind, Standing } from '../foreign-objects.ts';
import { planTriggerState, type TriggerChild } from './plan-trigger-state.ts';
import { type ApiRuleTranslation, translateApiRule } from './translate-api-rule.ts';

/** APIRules of Kyma, brought to life by a Trigger of Fnlet for each of their rules. */
export const apiRules: ForeignKind<ApiRuleObject, TriggerChild, ApiRuleTranslation> = {
  name: 'fnlet-kyma-api-rules',
  type: apiRuleType,
  childType: triggerType,
  finalizer: 'gateway.kyma-project.io/subresources',
  parse: parseApiRule,
  translate: translateApiRule,
  // That of the second rule and so on is <name>-2.
  ownerName: (name) => /^(.+)-\d+$/.exec(name)?.[1] ?? name,
  wanted: (translation) => (translation.kind === 'translated' ? translation.triggers : undefined),
  planStatus: planApiRuleStatus,
  planHappenings: planApiRuleHappenings,
};

function planApiRuleStatus(
  standing: Standing<ApiRuleObject, TriggerChild, ApiRuleTranslation>,
): StatusUpdate {
  const { translation } = standing;
  const count = translation.kind === 'translated' ? translation.triggers.length : 0;
  const { isDone, isPending, message } = planTriggerState(standing, count);
  const description = isDone ? message || 'Reconciled successfully' : message;
  const isOld = 'host' in standing.owner.spec;
  const code = isDone ? 'OK' : isPending ? 'SKIPPED' : 'ERROR';
  return {
    fields: {
      state: isDone ? 'Ready' : isPending ? 'Processing' : 'Error',
      description,
      ...(isOld ? { APIRuleStatus: { code, desc: description } } : {}),
    },
    conditions: [
      {
        type: 'Ready',
        status: isDone ? 'True' : isPending ? 'Unknown' : 'False',
        reason: isDone ? 'Ready' : isPending ? 'Processing' : 'Error',
        message: description,
      },
    ],
  };
}

function planApiRuleHappenings(before: ApiRuleObject, after: ApiRuleObject): readonly Happening[] {
  const { state, description: message = '' } = after.status ?? {};
  if (state === undefined || state === 'Processing') return [];
  if (before.status?.state === state && before.status.description === message) return [];
  const isReady = state === 'Ready';
  return [{ type: isReady ? 'Normal' : 'Warning', reason: isReady ? 'Ready' : 'Error', message }];
}
