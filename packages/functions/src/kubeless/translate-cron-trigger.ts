import type { CronSource } from '@fnlet/api';
import { type CronJobTriggerObject, parseCronJobTrigger } from '@fnlet/api/kubeless';
import { errorMessage } from '@fnlet/base';
import type { KubeObject } from '@fnlet/machinery';
import { parseCronRule } from '@fnlet/machinery/cron';
import {
  kubelessDelivery,
  type TriggerTranslation,
  translateToTriggers,
} from './trigger-translation.ts';

/**
 * The Trigger that does what a CronJobTrigger does, or why there is none. Its name is another one:
 * functions have HTTPTriggers of the same name. It never throws.
 */
export function translateCronTrigger(object: KubeObject): TriggerTranslation {
  let trigger: CronJobTriggerObject;
  try {
    trigger = parseCronJobTrigger(object);
  } catch (error) {
    return { kind: 'refused', reasons: [errorMessage(error)] };
  }
  const { metadata, spec } = trigger;
  const { schedule, payload } = spec;
  // Kubeless's are those of CronJobs, which have no seconds.
  const rule = parseCronRule(schedule);
  if (rule.kind === 'invalid') {
    return { kind: 'refused', reasons: [`schedule: found "${schedule}": ${rule.problem}`] };
  }
  const cron: CronSource = {
    schedule,
    // As a CronJob has it.
    missed: 'once',
    concurrencyPolicy: 'Allow',
    ...planData(payload),
  };
  const target = { function: spec['function-name'] };
  const plan = { source: { cron }, target, delivery: kubelessDelivery };
  return translateToTriggers(metadata, [{ name: `${metadata.name}.cronjob`, spec: plan }]);
}

/** A text is JSON, too; as it is, it would be sent without its quotes. */
function planData(payload: unknown): Pick<CronSource, 'data' | 'contentType'> {
  if (payload === undefined || payload === null) return {};
  if (typeof payload !== 'string') return { data: payload };
  return { data: JSON.stringify(payload), contentType: 'application/json' };
}
