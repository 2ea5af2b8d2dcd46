import { type KubeObject, toKubeTime } from '@fnlet/machinery';
import { withMetadata } from '../object/object-form.ts';
import type { DeleteOptions, PropagationPolicy } from '../request/delete-options.ts';
import type { Strategy } from '../resource/strategy.ts';

/** What a DELETE does to an object. */
export type DeletePlan =
  | { readonly kind: 'remove' }
  /** It stays for a while, marked: for its finalizers, or for its grace period. */
  | { readonly kind: 'mark'; readonly object: KubeObject }
  | { readonly kind: 'unchanged' };

const foreground = 'foregroundDeletion';
const orphan = 'orphan';

/**
 * Decides what a DELETE does (apiserver, registry/rest/delete.go and generic/registry/store.go):
 * the propagation policy becomes a finalizer for the garbage collector; finalizers and a grace
 * period keep the object; a second DELETE may only shorten the grace period.
 */
export function planDelete(
  strategy: Strategy,
  object: KubeObject,
  options: Pick<DeleteOptions, 'gracePeriodSeconds' | 'propagation'> & { readonly now: number },
): DeletePlan {
  const { now } = options;
  const { metadata } = object;
  const isDeleting = metadata.deletionTimestamp !== undefined;
  if (strategy.beginDeletion !== undefined) {
    if (!isDeleting) return { kind: 'mark', object: strategy.beginDeletion(object, now) };
    return isFinalized(strategy, object) ? { kind: 'remove' } : { kind: 'unchanged' };
  }
  const graceSeconds = strategy.gracePeriodSeconds?.(object, options.gracePeriodSeconds) ?? 0;
  const finalizers = finalizersFor(metadata.finalizers ?? [], options.propagation);
  if (finalizers.length === 0 && graceSeconds === 0) return { kind: 'remove' };
  const before = metadata.deletionGracePeriodSeconds ?? 0;
  const sameFinalizers = finalizers.join() === (metadata.finalizers ?? []).join();
  if (isDeleting && graceSeconds >= before && sameFinalizers) return { kind: 'unchanged' };
  const marked = markDeleted(object, { graceSeconds, finalizers, now });
  return { kind: 'mark', object: marked };
}

function markDeleted(
  object: KubeObject,
  mark: { graceSeconds: number; finalizers: readonly string[]; now: number },
): KubeObject {
  const { deletionTimestamp, deletionGracePeriodSeconds: before = 0, generation } = object.metadata;
  // The grace period counts from the first DELETE: deletionTimestamp is when it ends.
  const end =
    deletionTimestamp === undefined ? mark.now : Date.parse(deletionTimestamp) - before * 1000;
  const grace =
    deletionTimestamp === undefined ? mark.graceSeconds : Math.min(mark.graceSeconds, before);
  return withMetadata(object, {
    deletionTimestamp: toKubeTime(end + grace * 1000),
    deletionGracePeriodSeconds: grace,
    finalizers: mark.finalizers.length === 0 ? undefined : mark.finalizers,
    generation:
      deletionTimestamp === undefined && generation !== undefined ? generation + 1 : generation,
  });
}

/** The finalizers that make the garbage collector follow the policy; without one, as they are. */
function finalizersFor(
  finalizers: readonly string[],
  propagation: PropagationPolicy | undefined,
): readonly string[] {
  if (propagation === undefined) return finalizers;
  const others = finalizers.filter((name) => name !== foreground && name !== orphan);
  if (propagation === 'Foreground') return [...others, foreground];
  return propagation === 'Orphan' ? [...others, orphan] : others;
}

function isFinalized(strategy: Strategy, object: KubeObject): boolean {
  if (strategy.isFinalized !== undefined) return strategy.isFinalized(object);
  return (object.metadata.finalizers ?? []).length === 0;
}

/** Whether an update has taken away the last thing that kept a deleted object. */
export function mayBeRemoved(strategy: Strategy, before: KubeObject, after: KubeObject): boolean {
  if (before.metadata.deletionTimestamp === undefined) return false;
  if ((after.metadata.deletionGracePeriodSeconds ?? 0) > 0) return false;
  return isFinalized(strategy, after);
}
