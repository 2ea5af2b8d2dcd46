import type { CronJobTriggerObject } from '@fnlet/api/kubeless';
import { canonicalJson, sha256 } from '@fnlet/base';
import type { CronSchedule } from '@fnlet/machinery/cron';
import type { FunctionCall } from '../function-caller.ts';

/** What is to be done for a trigger now. */
export type CronPlan =
  /** `undefined`: it is never due again. */
  | { readonly kind: 'wait'; readonly nextMs: number | undefined }
  | { readonly kind: 'call'; readonly scheduledMs: number; readonly nextMs: number | undefined };

// A CronJob looks at as many and then takes the last one; what lies further back concerns nobody.
const missedMax = 100;

/**
 * What is due since `sinceMs`, the last time for which the function was called: of several times
 * that were missed the last one alone, as a CronJob does.
 */
export function planCronCall(options: {
  readonly schedule: CronSchedule;
  readonly sinceMs: number;
  readonly nowMs: number;
}): CronPlan {
  const { schedule, sinceMs, nowMs } = options;
  let scheduledMs: number | undefined;
  let nextMs = schedule.next(sinceMs);
  for (let missed = 0; nextMs !== undefined && nextMs <= nowMs; missed++) {
    scheduledMs = nextMs;
    nextMs = schedule.next(missed < missedMax ? nextMs : nowMs);
  }
  return scheduledMs === undefined
    ? { kind: 'wait', nextMs }
    : { kind: 'call', scheduledMs, nextMs };
}

/**
 * The call that Kubeless's CronJob makes: GET without a payload, else POST of it as JSON. Unlike
 * there, one time has one event-id.
 */
export function planTriggerCall(trigger: CronJobTriggerObject, scheduledMs: number): FunctionCall {
  const { metadata, spec } = trigger;
  const { payload } = spec;
  const hasPayload = payload !== undefined && payload !== null;
  return {
    namespace: metadata.namespace ?? '',
    function: spec['function-name'],
    method: hasPayload ? 'POST' : 'GET',
    headers: {
      'content-type': 'application/json',
      'event-id': sha256(canonicalJson([metadata.uid ?? '', scheduledMs])).slice(0, 32),
      'event-time': `${new Date(scheduledMs).toISOString().slice(0, 19).replace('T', ' ')}+00:00`,
      'event-type': 'application/json',
      'event-namespace': 'cronjobtrigger.kubeless.io',
    },
    ...(hasPayload ? { body: JSON.stringify(payload) } : {}),
  };
}
