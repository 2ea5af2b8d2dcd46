import { functionConditions, functionReasons, type RevisionTemplate } from '@fnlet/api';
import type { Obstacle } from '@fnlet/executor';
import type { ConditionUpdate } from '@fnlet/machinery';

/** What runs a Function, and why; `unfit`: what it asks for cannot. */
export interface ChosenExecutor {
  readonly kind: 'pool' | 'deployment' | 'unfit';
  readonly message: string;
}

/** Chooses what runs a Function. */
export type ExecutorOf = (
  spec: Pick<
    RevisionTemplate,
    'executor' | 'mounts' | 'serviceAccountName' | 'resources' | 'imageOverride' | 'pod'
  >,
) => ChosenExecutor;

/**
 * What the status says about the choice; nothing where there is none.
 *
 * @param obstacle what keeps Instances of the Function from starting, if anything does
 */
export function executorCondition(
  chosen: ChosenExecutor | undefined,
  obstacle?: Obstacle | undefined,
): readonly ConditionUpdate[] {
  if (chosen === undefined) return [];
  const type = functionConditions.executor;
  const { kind, message } = chosen;
  const { pool, deployment, executorUnfit } = functionReasons;
  if (kind === 'unfit') return [{ type, status: 'False', reason: executorUnfit, message }];
  if (obstacle !== undefined) return [{ type, status: 'False', ...obstacle }];
  return [{ type, status: 'True', reason: kind === 'pool' ? pool : deployment, message }];
}
