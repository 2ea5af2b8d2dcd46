import { type Condition, findCondition } from '@fnlet/machinery';
import type { Happening } from '@fnlet/reconcile';

interface Conditioned {
  readonly status?: { readonly conditions?: readonly Condition[] };
}

/** The Events of a status that has changed: what its condition Ready says anew. */
export function planReadyHappenings(before: Conditioned, after: Conditioned): readonly Happening[] {
  const known = findCondition(before.status?.conditions, 'Ready');
  const found = findCondition(after.status?.conditions, 'Ready');
  if (found === undefined) return [];
  const { status, reason = '', message = '' } = found;
  if (known?.status === status && known.reason === reason && known.message === message) return [];
  return [{ type: status === 'False' ? 'Warning' : 'Normal', reason, message }];
}
