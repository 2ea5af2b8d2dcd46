import type { ChildOutcome } from './apply/child-outcome.ts';
import type { QueueObserver, QueueStats } from './queue-observer.ts';

/**
 * How a run ended: `done`, or `requeued` for a time that it named; `failed`, to be tried again;
 * `terminal` or `exhausted` (no attempt is left), to wait for the next event.
 */
export type ReconcileOutcome = 'done' | 'requeued' | 'failed' | 'terminal' | 'exhausted';

/** Hears what a controller does, to make metrics of it. */
export interface ControllerObserver extends QueueObserver {
  /** A run has ended: `reconcile_total`, `reconcile_time_seconds` (controller-runtime). */
  reconciled(outcome: ReconcileOutcome, tookMs: number): void;
}

/** Makes the metrics of all controllers of a manager. */
export interface ControllerMetrics {
  /** Who hears the controller of this name. */
  observe(name: string): ControllerObserver;
  /** From now on reads this queue whenever it is asked for metrics. */
  add(controller: { readonly name: string; stats(): QueueStats }): void;
  /** Forgets a controller that has ended, and all that was counted of it. */
  remove(controller: { readonly name: string }): void;
  /** Counts the children for which a reconcile found nothing to write. */
  countSuppressed(outcomes: readonly ChildOutcome[]): void;
}
