import type { JsonObject } from '@fnlet/base';
import type { ScopeRequirement } from './quota.ts';
import type { Usage } from './usage.ts';

/** Knows what the objects of one kind use of quotas (apiserver, quota/v1, Evaluator). */
export interface Evaluator {
  /** Whether objects of this kind use the resource of this name. */
  counts(name: string): boolean;
  /**
   * What one object uses, as of `now` in milliseconds since the epoch. Absent: each object uses one
   * of every resource that the kind counts, and is in no scope.
   */
  readonly usageOf?: (object: JsonObject, now: number) => Usage;
  /** When an object will use less without a change, in milliseconds since the epoch. Absent: never. */
  readonly endsAtMs?: (object: JsonObject) => number | undefined;
  /** Whether the object meets a scope. Absent: it is in none. */
  readonly isInScope?: (object: JsonObject, requirement: ScopeRequirement) => boolean;
  /** Whether this update may cost something. Absent: only a creation does. */
  readonly chargesUpdate?: (update: {
    readonly object: JsonObject;
    readonly old: JsonObject;
    readonly subresource: string | undefined;
  }) => boolean;
  /** What the object must say under a quota of these resources and does not, in words. */
  readonly missing?: (object: JsonObject, names: readonly string[]) => string | undefined;
}
