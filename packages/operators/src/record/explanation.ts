import type { LastRun, ObjectState } from '../run/object-book.ts';

/**
 * Why an object is as it is for an operator: what its last run came to, what has happened since and
 * was no reason to run, and when it is due; as the API shows it (`operators.fnlet.dev`, resource
 * `explanations`).
 */
export interface Explanation {
  /** The Operator object. */
  readonly operator: { readonly namespace: string; readonly name: string };
  readonly object: {
    readonly apiVersion: string;
    readonly kind: string;
    readonly namespace: string;
    readonly name: string;
    readonly uid?: string;
    readonly generation?: number;
  };
  /**
   * `unknown`: the operator does not see it, or nothing is known of it since the start; `paused`:
   * by its annotation.
   */
  readonly state: ObjectState | 'unknown' | 'paused';
  /** In words. */
  readonly message: string;
  /** Absent where it did not run since the start of the hub. */
  readonly lastRun?: Omit<LastRun, 'atMs'> & { readonly at: string };
  /** When it is to be run again, RFC 3339. */
  readonly nextDue?: string;
  /** Changes since its last run that were no reason for another. */
  readonly filtered?: {
    readonly count: number;
    /** When the last of them came, RFC 3339. */
    readonly at: string;
    /** What it has changed: `status`, `labels`, … */
    readonly parts: readonly string[];
  };
}
