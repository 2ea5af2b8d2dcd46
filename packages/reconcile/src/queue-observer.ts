/**
 * Hears what a queue does, to make metrics of it. The names of the usual metrics (client-go,
 * `workqueue_*`) stand beside; what is a gauge is read from QueueStats when it is asked for.
 */
export interface QueueObserver {
  /** A key that did not wait began to: `adds_total`. */
  added(): void;
  /** A key is tried again after a failure: `retries_total`. */
  retried(): void;
  /** A key was handed out so long after it was due: `queue_duration_seconds`. */
  taken(waitedMs: number): void;
  /** The run of a key is over: `work_duration_seconds`. */
  finished(tookMs: number): void;
}

/** How a queue stands now. */
export interface QueueStats {
  /** Keys that wait, now or later, without those in work: `depth`. */
  readonly depth: number;
  /** Keys in work. */
  readonly running: number;
  /** How long the oldest run has lasted: `longest_running_processor_seconds`. */
  readonly longestRunningMs: number;
  /** The sum of how long all of them have lasted: `unfinished_work_seconds`. */
  readonly unfinishedMs: number;
}
