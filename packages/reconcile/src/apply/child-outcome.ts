import type { ConditionUpdate, KubeObject } from '@fnlet/machinery';
import type {
  BlockedAction,
  ChildAction,
  SkipAction,
  WaitAction,
  WriteAction,
} from './child-action.ts';
import type { ChildId } from './child-id.ts';

interface OfChild {
  readonly child: ChildId;
  readonly key: string;
}

/** What became of one child. */
export type ChildOutcome = OfChild &
  (
    | {
        readonly kind: 'created' | 'adopted' | 'applied';
        readonly reason: WriteAction['reason'];
        /** The child as the API answered. */
        readonly object: KubeObject;
        /** Whether the write changed it. */
        readonly isEffective: boolean;
      }
    | { readonly kind: 'skipped'; readonly reason: SkipAction['reason'] }
    | {
        readonly kind: 'waiting';
        readonly reason: WaitAction['reason'];
        readonly waitsFor: readonly string[];
      }
    | {
        readonly kind: 'blocked';
        readonly reason: BlockedAction['reason'];
        readonly message: string;
        readonly untilMs: number | undefined;
      }
    | { readonly kind: 'pruned' }
    | { readonly kind: 'failed'; readonly error: unknown; readonly message: string }
  );

/** The outcome of an action that was not carried out: nothing was to be done, or could be. */
export function outcomeOf(action: ChildAction): ChildOutcome | undefined {
  const { child, key } = action;
  switch (action.kind) {
    case 'skip':
      return { child, key, kind: 'skipped', reason: action.reason };
    case 'wait':
      return { child, key, kind: 'waiting', reason: action.reason, waitsFor: action.waitsFor };
    case 'blocked': {
      const { reason, message, untilMs } = action;
      return { child, key, kind: 'blocked', reason, message, untilMs };
    }
    default:
      return undefined;
  }
}

/**
 * What is to be said of children in the status of their primary: the first that failed or is
 * blocked, then the first that waits. Message and reason change only when what they tell does, so
 * that saying it again is no write.
 */
export function childrenCondition(children: readonly ChildOutcome[]): ConditionUpdate {
  const type = 'ChildrenApplied';
  for (const child of children) {
    if (child.kind === 'failed') {
      return { type, status: 'False', reason: 'Failed', message: child.message };
    }
    if (child.kind === 'blocked') {
      return { type, status: 'False', reason: child.reason, message: child.message };
    }
  }
  for (const child of children) {
    if (child.kind !== 'waiting') continue;
    const message = `${child.key} waits for ${child.waitsFor.join(', ')}`;
    return { type, status: 'False', reason: child.reason, message };
  }
  return { type, status: 'True', reason: 'Applied', message: 'All is as it is wanted.' };
}
