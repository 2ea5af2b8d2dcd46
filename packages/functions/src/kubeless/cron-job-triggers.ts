/**
 * CronJobTriggers of Kubeless: functions called at the times that a schedule names.
 *
 * I1. A time is written down before the function is called for it: whatever ends this process, no
 *     time calls twice.
 * I2. Between two times a trigger costs an entry in the queue.
 * I3. A trigger goes with its function, as in Kubeless.
 */
import { type FunctionObject, functionType } from '@fnlet/api';
import {
  type CronJobTriggerObject,
  cronJobTriggerType,
  parseCronJobTrigger,
} from '@fnlet/api/kubeless';
import { type Clock, errorMessage } from '@fnlet/base';
import type { Cache } from '@fnlet/client';
import { type ObjectKey, objectKey, toKubeTime } from '@fnlet/machinery';
import { type CronSchedule, openCronSchedule, parseCronRule } from '@fnlet/machinery/cron';
import {
  createStatusWriter,
  type KindContext,
  type Manager,
  ReconcileError,
  type StatusUpdate,
  type StatusWriter,
} from '@fnlet/reconcile';
import { type Kind, type ObjectShape, requeueAfter } from '@fnlet/sdk/operator';
import type { FunctionCaller } from '../function-caller.ts';
import { kindOf } from '../kind-of.ts';
import { limits } from '../limits.ts';
import { belongToFunction } from './belong-to-function.ts';
import { planCronCall, planTriggerCall } from './plan-cron-call.ts';

const triggerKind: Kind<CronJobTriggerObject> = kindOf(cronJobTriggerType);
const functionKind: Kind<ObjectShape & Pick<FunctionObject, 'metadata'>> = kindOf(functionType);
const byFunction = 'byFunction';

/** Lets a manager call functions when their triggers say so. */
export function addCronJobTriggers(
  manager: Manager,
  { call, clock }: { readonly call: FunctionCaller; readonly clock: Clock },
): void {
  const client = manager.client.of<CronJobTriggerObject>(cronJobTriggerType);
  const triggers = manager.cache<CronJobTriggerObject>(cronJobTriggerType, {
    indexes: {
      [byFunction]: ({ metadata, spec }) => [`${metadata.namespace}/${spec['function-name']}`],
    },
  });
  const run = new CronRun({ status: createStatusWriter({ client, clock }), call, clock });
  manager.controller({
    name: 'fnlet-kubeless-cron',
    for: triggerKind,
    watches: [functionKind.keep('metadata.name').mapTo((target) => triggersOf(triggers, target))],
    concurrency: limits.workers,
    async reconcile(key, context) {
      const trigger = context.cache(triggerKind).get(key);
      if (trigger === undefined || trigger.metadata.deletionTimestamp !== undefined) return;
      const nextMs = await run.run(readTrigger(trigger), context);
      if (nextMs === undefined) return undefined;
      return requeueAfter(`${Math.max(0, nextMs - clock.now())}ms`);
    },
  });
}

function triggersOf(
  triggers: Cache<CronJobTriggerObject>,
  { metadata }: ObjectShape,
): readonly ObjectKey[] {
  return triggers.byIndex(byFunction, `${metadata.namespace}/${metadata.name}`).map(objectKey);
}

function readTrigger(found: unknown): CronJobTriggerObject {
  try {
    return parseCronJobTrigger(found);
  } catch (cause) {
    // It did not pass its schema: only another write can help.
    throw new ReconcileError('Terminal', errorMessage(cause), { cause });
  }
}

type Statement = NonNullable<StatusUpdate['conditions']>[number];

class CronRun {
  readonly #status: StatusWriter<CronJobTriggerObject>;
  readonly #call: FunctionCaller;
  readonly #clock: Clock;

  constructor(options: {
    readonly status: StatusWriter<CronJobTriggerObject>;
    readonly call: FunctionCaller;
    readonly clock: Clock;
  }) {
    this.#status = options.status;
    this.#call = options.call;
    this.#clock = options.clock;
  }

  /** Calls the function if it is time; returns when it is time again. */
  async run(trigger: CronJobTriggerObject, context: KindContext): Promise<number | undefined> {
    const { signal } = context;
    const { schedule: text, 'function-name': name } = trigger.spec;
    const parsed = parseCronRule(text);
    if (parsed.kind === 'invalid') {
      const message = `schedule: found "${text}": ${parsed.problem}`;
      await this.#say(trigger, no('InvalidSchedule', message), { nextScheduleTime: null }, signal);
      return undefined;
    }
    const { namespace = '' } = trigger.metadata;
    const target = context.cache(functionKind).get({ namespace, name });
    if (target === undefined) {
      const message = `Function "${name}" does not exist: create it`;
      await this.#say(trigger, no('FunctionNotFound', message), { nextScheduleTime: null }, signal);
      return undefined;
    }
    await belongToFunction(trigger, target, { ...context, type: cronJobTriggerType });
    return this.#callIfDue(trigger, openCronSchedule(parsed.rule, 'UTC'), context);
  }

  async #callIfDue(
    trigger: CronJobTriggerObject,
    schedule: CronSchedule,
    { signal, events }: KindContext,
  ): Promise<number | undefined> {
    const since = trigger.status?.lastScheduleTime ?? trigger.metadata.creationTimestamp;
    const nowMs = this.#clock.now();
    const plan = planCronCall({ schedule, nowMs, sinceMs: Date.parse(since ?? '') || nowMs });
    const nextScheduleTime = plan.nextMs === undefined ? null : toKubeTime(plan.nextMs);
    if (plan.kind === 'wait') {
      const known = trigger.status?.lastScheduleTime !== undefined;
      // What the last call came to stays said.
      const said = known ? undefined : yes('Scheduled', 'Waits for its time');
      await this.#say(trigger, said, { nextScheduleTime }, signal);
      return plan.nextMs;
    }
    const lastScheduleTime = toKubeTime(plan.scheduledMs);
    const told = { lastScheduleTime, nextScheduleTime };
    // I1: nobody who read the trigger before may call for this time.
    const begun = await this.#say(trigger, yes('Calling', 'Calls its function'), told, signal);
    const outcome = await this.#outcomeOf(trigger, plan.scheduledMs, signal);
    const lastSuccessfulTime =
      outcome.status === 'True' ? { lastSuccessfulTime: lastScheduleTime } : {};
    if (outcome.status === 'False') {
      const { reason, message = '' } = outcome;
      events.record(trigger, { type: 'Warning', reason: reason ?? '', message });
    }
    await this.#say(begun, outcome, { ...told, ...lastSuccessfulTime }, signal);
    return plan.nextMs;
  }

  async #outcomeOf(
    trigger: CronJobTriggerObject,
    scheduledMs: number,
    signal: AbortSignal,
  ): Promise<Statement> {
    try {
      const { status } = await this.#call(planTriggerCall(trigger, scheduledMs), signal);
      const message = `Function "${trigger.spec['function-name']}" answered ${status}`;
      const isSuccess = status >= 200 && status < 300;
      return isSuccess ? yes('Called', message) : no('CallFailed', message);
    } catch (error) {
      signal.throwIfAborted();
      return no('CallFailed', errorMessage(error));
    }
  }

  async #say(
    trigger: CronJobTriggerObject,
    statement: Statement | undefined,
    fields: NonNullable<StatusUpdate['fields']>,
    signal: AbortSignal,
  ): Promise<CronJobTriggerObject> {
    const update = { fields, ...(statement === undefined ? {} : { conditions: [statement] }) };
    return (await this.#status.write(trigger, update, signal)) ?? trigger;
  }
}

function yes(reason: string, message: string): Statement {
  return { type: 'Ready', status: 'True', reason, message };
}

function no(reason: string, message: string): Statement {
  return { type: 'Ready', status: 'False', reason, message };
}
