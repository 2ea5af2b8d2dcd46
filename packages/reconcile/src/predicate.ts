import { jsonEqual } from '@fnlet/base';
import type { CacheEvent } from '@fnlet/client';
import type { KubeObject, ObjectMeta } from '@fnlet/machinery';

/** Whether an event is worth a run. A filter saves work, never memory: selectors do that. */
export type Predicate<T extends KubeObject = KubeObject> = (event: CacheEvent<T>) => boolean;

/**
 * An update that changes what the user asked for: generation, deletion mark or finalizers. Kinds
 * without a generation (ConfigMap, Secret) pass with every update: nothing tells theirs apart.
 * Labels and annotations do not move the generation: combine with {@link labelsChanged}.
 */
export const generationChanged: Predicate = changed(
  ({ generation, resourceVersion, deletionTimestamp, finalizers }) => [
    generation ?? resourceVersion,
    deletionTimestamp,
    finalizers,
  ],
);

export const labelsChanged: Predicate = changed(({ labels }) => labels);

export const annotationsChanged: Predicate = changed(({ annotations }) => annotations);

/** Anything was written; leaves out what a resync repeats. */
export const resourceVersionChanged: Predicate = changed(({ resourceVersion }) => resourceVersion);

/** An event passes when one of the predicates lets it pass. */
export function anyOf<T extends KubeObject>(...predicates: readonly Predicate<T>[]): Predicate<T> {
  return (event) => predicates.some((predicate) => predicate(event));
}

/** An event passes when all of the predicates let it pass. */
export function allOf<T extends KubeObject>(...predicates: readonly Predicate<T>[]): Predicate<T> {
  return (event) => predicates.every((predicate) => predicate(event));
}

export function not<T extends KubeObject>(predicate: Predicate<T>): Predicate<T> {
  return (event) => !predicate(event);
}

// Additions and deletions always pass: only an update has a before to compare with.
function changed(aspect: (metadata: ObjectMeta) => unknown): Predicate {
  return (event) =>
    event.kind !== 'updated' ||
    !jsonEqual(aspect(event.old.metadata), aspect(event.object.metadata));
}
