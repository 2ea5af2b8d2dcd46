import type { CacheOptions } from '@fnlet/client';
import type { KubeObject } from '@fnlet/machinery';

/** What the users of one cache need of each object, and by what they search. */
export interface CacheNeeds<T extends KubeObject> {
  /** Paths of what is kept; see CacheOptions. `undefined`: all but managedFields. */
  readonly keep: readonly string[] | undefined;
  readonly project: CacheOptions<T>['project'];
  /** Whose managedFields stay where all of an object is kept. */
  readonly managers: readonly string[];
  readonly indexes: readonly IndexFunction<T>[];
}

export type IndexFunction<T extends KubeObject> = (object: T) => readonly string[];

/**
 * What serves both users. Paths add up; a projection by function cannot be joined with another, so
 * then the object stays whole.
 */
export function uniteNeeds<T extends KubeObject>(
  a: CacheNeeds<T>,
  b: CacheNeeds<T>,
): CacheNeeds<T> {
  return {
    keep: uniteKeep(a.keep, b.keep),
    project: a.project === b.project ? a.project : undefined,
    managers: [...new Set([...a.managers, ...b.managers])],
    indexes: [...new Set([...a.indexes, ...b.indexes])],
  };
}

function uniteKeep(
  a: readonly string[] | undefined,
  b: readonly string[] | undefined,
): readonly string[] | undefined {
  if (a !== undefined && b !== undefined) {
    const both = new Set([...a, ...b]);
    return both.has('*') ? ['*'] : [...both];
  }
  // "All" leaves the managed fields out; who names them needs really all.
  const named = a ?? b ?? [];
  const isManaged = (path: string): boolean => /^(\*|metadata(\.managedFields.*)?)$/.test(path);
  return named.some(isManaged) ? ['*'] : undefined;
}

/** Whether a cache that serves `wide` serves `narrow` as it is. */
export function coversNeeds<T extends KubeObject>(
  wide: CacheNeeds<T>,
  narrow: CacheNeeds<T>,
): boolean {
  const [both, alone] = [uniteNeeds(wide, narrow), uniteNeeds(wide, wide)];
  return (
    both.project === alone.project &&
    // Of what is kept by paths, managedFields are none, or all.
    (both.keep !== undefined || both.managers.length === alone.managers.length) &&
    both.indexes.length === alone.indexes.length &&
    both.keep?.length === alone.keep?.length &&
    (both.keep?.every((path) => alone.keep?.includes(path) === true) ?? true)
  );
}
