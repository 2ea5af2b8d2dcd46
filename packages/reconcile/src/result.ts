/** What a reconcile asks for when it went well. */
export interface Result {
  /** Run again after so long, unless an event comes first. Without it: with the next event. */
  readonly requeueAfterMs?: number | undefined;
}
