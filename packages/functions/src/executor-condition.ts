import { functionConditions, functionReasons, type RevisionTemplate } from '@fnlet/api';
import type { Obstacle } from '@fnlet/executor';
import type { ConditionUpdate } from '@fnlet/machinery';

/** What runs a Function, and why; `unfit`: what it asks for cannot. */
export interface ChosenExecutor {
  readonly kind: 'pool' | 'ownPool' | 'deployment' | 'unfit';
  readonly message: string;
}

/** Chooses what runs a Function. */
export type ExecutorOf = (
  spec: Pick<
    RevisionTemplate,
    | 'executor'
    | 'development'
    | 'mounts'
    | 'serviceAccountName'
    | 'resources'
    | 'imageOverride'
    | 'pod'
  >,
) => ChosenExecutor;

/**
 * What the status says about the choice; nothing where there is none.
 *
 * @param about.obstacle what keeps Instances of the Function from starting, if anything does
 * @param about.ended since when (RFC 3339) nobody works on its code any more, though it says so
 * @param about.changes fields for which a Function that is developed gets Pods anew just now
 */
export function executorCondition(
  chosen: ChosenExecutor | undefined,
  about: {
    readonly obstacle?: Obstacle | undefined;
    readonly ended?: string | undefined;
    readonly changes?: readonly string[];
  } = {},
): readonly ConditionUpdate[] {
  if (chosen === undefined) return [];
  const type = functionConditions.executor;
  const { kind, message } = chosen;
  const { obstacle, ended, changes = [] } = about;
  const { pool, ownPool, deployment, executorUnfit, newPods } = functionReasons;
  if (kind === 'unfit') return [{ type, status: 'False', reason: executorUnfit, message }];
  if (obstacle !== undefined) return [{ type, status: 'False', ...obstacle }];
  if (kind === 'ownPool' && changes.length > 0) {
    const why = `A running Pod cannot take a change of ${changes.join(', ')}: others start`;
    return [{ type, status: 'True', reason: newPods, message: why }];
  }
  const over = `${message}. spec.development has ended ${ended}: nobody has renewed it since`;
  const reason = { pool, ownPool, deployment }[kind];
  return [{ type, status: 'True', reason, message: ended === undefined ? message : over }];
}
