import { type KymaFunctionStatus, kymaConditions } from '@fnlet/api/kyma';
import { findCondition } from '@fnlet/machinery';
import type { Happening } from '@fnlet/reconcile';

/** The Events of a status that has changed: one for each condition that says something new. */
export function planKymaHappenings(
  before: KymaFunctionStatus | undefined,
  after: KymaFunctionStatus | undefined,
): readonly Happening[] {
  return Object.values(kymaConditions).flatMap((type): readonly Happening[] => {
    const known = findCondition(before?.conditions, type);
    const { status, reason = '', message = '' } = findCondition(after?.conditions, type) ?? {};
    if (status === undefined) return [];
    // How far something has come is told by the condition alone: there would be many.
    const isTold = known?.message === message || status === 'Unknown';
    const isSame = known?.status === status && known.reason === reason && isTold;
    const isWarning = status === 'False' || message.startsWith('Warning');
    return isSame ? [] : [{ type: isWarning ? 'Warning' : 'Normal', reason, message }];
  });
}
