import type { CronJobTriggerObject } from '@fnlet/api/kubeless';
import { isJsonObject } from '@fnlet/base';
import type { ObjectKey } from '@fnlet/machinery';
import { parseCronRule } from '@fnlet/machinery/cron';
import { CliError } from '../cli-error.ts';
import { exitCodes } from '../exit-codes.ts';

/** When which function is called, and with what. */
export interface CronWish {
  readonly function: string;
  readonly schedule: string;
  /** Text of an object in JSON. */
  readonly payload?: string;
}

/**
 * A CronJobTrigger. Without a payload the function is called with GET and no body; Kubeless's own
 * command made an empty object of it.
 *
 * @throws CliError `usage` for a schedule or payload that is none
 */
export function planCronTrigger(
  { name, namespace }: ObjectKey,
  { function: called, schedule, payload }: CronWish,
): CronJobTriggerObject {
  const rule = parseCronRule(schedule);
  if (rule.kind === 'invalid') {
    throw new CliError(exitCodes.usage, `Invalid value for --schedule: ${rule.problem}`);
  }
  return {
    apiVersion: 'kubeless.io/v1beta1',
    kind: 'CronJobTrigger',
    metadata: { name, namespace, labels: { 'created-by': 'kubeless' } },
    spec: {
      schedule,
      'function-name': called,
      ...(payload === undefined ? {} : { payload: parsePayload(payload) }),
    },
  };
}

function parsePayload(text: string): unknown {
  try {
    const payload: unknown = JSON.parse(text);
    if (isJsonObject(payload)) return payload;
  } catch {
    // It is said below.
  }
  throw new CliError(exitCodes.usage, 'Cannot use the payload: expected an object in JSON');
}
