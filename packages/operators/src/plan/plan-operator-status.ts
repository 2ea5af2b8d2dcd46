import {
  type MissingPermission,
  type OperatorConditionType,
  type OperatorReason,
  operatorConditions,
  operatorReasons,
} from '@fnlet/api';
import type { JsonObject } from '@fnlet/base';
import type { ConditionUpdate } from '@fnlet/machinery';
import type { StatusUpdate } from '@fnlet/reconcile';
import type { OperatorCounts } from '../run/running-operator.ts';

/** Why an Operator does not run. */
export interface OperatorTrouble {
  /** Which of its conditions says so; `ready` for none of its own. */
  readonly condition: OperatorConditionType;
  readonly reason: OperatorReason;
  readonly message: string;
  readonly missing?: readonly MissingPermission[];
}

/** What is known of an Operator. */
export interface OperatorStanding {
  readonly function: string | undefined;
  readonly awake: boolean;
  /** `undefined`: it runs. */
  readonly trouble: OperatorTrouble | undefined;
  /** `undefined`: it does not run. */
  readonly counts: OperatorCounts | undefined;
  /** Whether everything that it declares was read. */
  readonly isSynced: boolean;
  /** Whether no other replica runs some of its objects: only then counts of runs are of all. */
  readonly isAlone?: boolean;
}

/** The conditions in the order in which they are found out: one that fails leaves the next open. */
const parts: ReadonlyMap<OperatorConditionType, string> = new Map([
  [operatorConditions.kindsServed, 'The API serves all kinds that it names'],
  [operatorConditions.permissionsGranted, 'Its ServiceAccount may do all that it declares'],
  [operatorConditions.functionReady, 'Its function can be called'],
]);

/** What the status of an Operator says. */
export function planOperatorStatus(standing: OperatorStanding): StatusUpdate {
  const { trouble, counts, awake, isAlone = true } = standing;
  const name = standing.function;
  return {
    fields: {
      function: name ?? null,
      awake,
      objects: counts === undefined ? null : objectsOf(counts, isAlone),
      queue: counts?.queue ?? null,
      // When it ran last is still true of an operator that stands still.
      ...(counts?.lastRunMs === undefined ? {} : { lastRun: timeOf(counts.lastRunMs) }),
      nextDue: timeOf(counts?.nextDueMs),
      missingPermissions: trouble?.missing ?? null,
    },
    conditions: [...partConditions(trouble), readyCondition(standing)],
  };
}

function partConditions(trouble: OperatorTrouble | undefined): ConditionUpdate[] {
  const order = [...parts.keys()];
  const failed = trouble === undefined ? order.length : order.indexOf(trouble.condition);
  return [...parts].map(([type, message], index): ConditionUpdate => {
    if (trouble === undefined || index < failed) {
      return { type, status: 'True', reason: operatorReasons.ready, message };
    }
    if (index === failed) {
      return { type, status: 'False', reason: trouble.reason, message: trouble.message };
    }
    return { type, status: 'Unknown', reason: trouble.reason, message: 'It was not looked at yet' };
  });
}

function readyCondition({ trouble, counts, isSynced }: OperatorStanding): ConditionUpdate {
  const type = operatorConditions.ready;
  if (trouble !== undefined) {
    return { type, status: 'False', reason: trouble.reason, message: trouble.message };
  }
  if (!isSynced || counts === undefined) {
    const message = 'What there is is being read';
    return { type, status: 'Unknown', reason: operatorReasons.starting, message };
  }
  return { type, status: 'True', ...runningCondition(counts) };
}

/** What there is to say of an operator that runs: what concerns the most of its objects first. */
function runningCondition(counts: OperatorCounts): { reason: OperatorReason; message: string } {
  const { total, failing, blocked, trouble, mapFailure } = counts;
  if (mapFailure !== undefined) {
    const message = `It runs; the function cannot say whom changes of others concern: ${mapFailure}`;
    return { reason: operatorReasons.mapFailing, message };
  }
  const example = trouble === undefined ? '' : `, such as ${trouble.object}: ${trouble.message}`;
  if (failing > 0) {
    const message = `It runs; the last run failed for ${failing} of ${total} objects${example}`;
    return { reason: operatorReasons.objectsFailing, message };
  }
  if (blocked > 0) {
    const message = `It runs; children of ${blocked} of ${total} objects are left alone${example}`;
    return { reason: operatorReasons.objectsBlocked, message };
  }
  return { reason: operatorReasons.ready, message: 'Changes of its objects are acted upon' };
}

function objectsOf({ total, settled, failing }: OperatorCounts, isAlone: boolean): JsonObject {
  return isAlone ? { total, settled, failing } : { total };
}

function timeOf(timeMs: number | undefined): string | null {
  return timeMs === undefined ? null : new Date(timeMs).toISOString();
}
