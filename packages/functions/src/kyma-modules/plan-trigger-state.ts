import { type TriggerObject, triggerConditions } from '@fnlet/api';
import { findCondition, type KubeObject } from '@fnlet/machinery';
import type { Standing } from '../foreign-objects.ts';

/** A Trigger that does what an object of Kyma asks for. */
export type TriggerChild = KubeObject & Pick<TriggerObject, 'status'>;

/** Whether what is asked for is done, and why not. */
export interface TriggerState {
  readonly isDone: boolean;
  /** It will be, as far as is known. */
  readonly isPending: boolean;
  readonly message: string;
}

type Judged =
  | {
      readonly kind: 'translated';
      readonly notices: readonly string[];
    }
  | { readonly kind: 'refused'; readonly reasons: readonly string[] };

/** What becomes of all Triggers of an object together, which are so many. */
export function planTriggerState<Owner, T extends Judged>(
  { translation, children, obstacle }: Standing<Owner, TriggerChild, T>,
  count: number,
): TriggerState {
  if (obstacle !== undefined) return { isDone: false, isPending: false, message: obstacle };
  if (translation.kind === 'refused') {
    return { isDone: false, isPending: false, message: translation.reasons.join('; ') };
  }
  const states = children.map((trigger) => {
    const found = findCondition(trigger.status?.conditions, triggerConditions.ready);
    const isNew = found?.observedGeneration === trigger.metadata.generation;
    return isNew ? found : undefined;
  });
  const failed = states.find((state) => state?.status === 'False');
  if (failed !== undefined) {
    return { isDone: false, isPending: false, message: failed.message ?? failed.reason ?? '' };
  }
  if (states.length < count || states.some((state) => state?.status !== 'True')) {
    return { isDone: false, isPending: true, message: 'It is being made ready' };
  }
  return { isDone: true, isPending: false, message: translation.notices.join('; ') };
}
