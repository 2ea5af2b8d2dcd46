import {
  formatTarget,
  type TriggerObject,
  type TriggerReason,
  triggerConditions,
  triggerReasons,
} from '@fnlet/api';
import { type ConditionUpdate, toKubeTime } from '@fnlet/machinery';
import type { StatusUpdate } from '@fnlet/reconcile';
import type { TriggerState } from './trigger-run.ts';

/** What is wrong with the target, or with what the Trigger says. */
export interface TriggerObstacle {
  readonly reason:
    | 'functionNotFound'
    | 'tagNotFound'
    | 'brokerNotFound'
    | 'operatorNotFound'
    | 'invalidSpec';
  readonly message: string;
}

/** What is found out about a Trigger that delivers events. */
export interface EventTriggerStanding {
  readonly trigger: TriggerObject;
  readonly state: TriggerState;
  readonly obstacle: TriggerObstacle | undefined;
}

/** What the status of the Trigger says. */
export function planEventStatus(standing: EventTriggerStanding): StatusUpdate {
  const { trigger, state } = standing;
  const { source, target } = trigger.spec;
  const { lastEventMs, lastDeliveryMs } = state;
  const { nextMs } = state.source;
  // What was before the start stays said.
  const lastEventTime = lastEventMs === undefined ? {} : { lastEventTime: toKubeTime(lastEventMs) };
  const lastDeliveryTime =
    lastDeliveryMs === undefined ? {} : { lastDeliveryTime: toKubeTime(lastDeliveryMs) };
  return {
    fields: {
      type: Object.keys(source)[0] ?? null,
      target: formatTarget(target),
      ...lastEventTime,
      ...lastDeliveryTime,
      nextFireTime: nextMs === undefined ? null : toKubeTime(nextMs),
      lag: state.pending + (state.source.lag ?? 0),
      failures: state.delivery.failures,
      lastFailure: state.delivery.lastFailure ?? null,
      deadLetters: state.deadLetters,
    },
    conditions: [sourceReadiness(standing), readiness(standing)],
  };
}

type Reason = keyof typeof triggerReasons;

/** Of Ready; False for all others. */
const reasonStatus: Partial<Record<Reason, ConditionUpdate['status']>> = {
  ready: 'True',
  starting: 'Unknown',
};

function readiness({ trigger, state, obstacle }: EventTriggerStanding): ConditionUpdate {
  const target = formatTarget(trigger.spec.target);
  const ready = (reason: Reason, message: string): ConditionUpdate =>
    statement('ready', { status: reasonStatus[reason] ?? 'False', reason, message });
  if (obstacle !== undefined) return ready(obstacle.reason, obstacle.message);
  if (trigger.spec.paused === true) return ready('paused', 'spec.paused is true');
  const { source, delivery } = state;
  const { phase, trouble } = source;
  if (phase === 'failed') return ready('sourceFailed', trouble ?? 'No connection');
  if (phase === 'starting') {
    // What failed has failed until it runs again.
    return trouble === undefined
      ? ready('starting', 'The source is being started')
      : ready('sourceFailed', trouble);
  }
  if (delivery.phase === 'failed') {
    return ready('deliveryFailed', delivery.trouble ?? 'Delivery does not run');
  }
  if (delivery.circuit !== 'closed') {
    const message = `${target} does not answer; it is asked from time to time, and events wait`;
    return ready('targetDown', message);
  }
  const delivered = `Events are delivered to ${target}`;
  return ready('ready', trouble === undefined ? delivered : `${delivered}; ${trouble}`);
}

function sourceReadiness({ state: { source } }: EventTriggerStanding): ConditionUpdate {
  const { trouble = '' } = source;
  switch (source.phase) {
    case 'stopped':
      return statement('sourceReady', {
        status: 'False',
        reason: 'stopped',
        message: 'It is not asked for events',
      });
    case 'starting':
      return statement('sourceReady', { status: 'Unknown', reason: 'starting', message: trouble });
    case 'failed':
      return statement('sourceReady', {
        status: 'False',
        reason: 'sourceFailed',
        message: trouble,
      });
    case 'running':
      return statement('sourceReady', { status: 'True', reason: 'ready', message: trouble });
  }
}

function statement(
  type: keyof typeof triggerConditions,
  said: {
    readonly status: ConditionUpdate['status'];
    readonly reason: Reason;
    readonly message: string;
  },
): ConditionUpdate {
  const reason: TriggerReason = triggerReasons[said.reason];
  return { type: triggerConditions[type], status: said.status, reason, message: said.message };
}
