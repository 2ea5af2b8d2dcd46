/** A statement about an object, as the API gives it. */
export interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  /** One word in CamelCase, for programs. */
  readonly reason?: string;
  /** A sentence, for people. */
  readonly message?: string;
  readonly lastTransitionTime?: string;
  readonly observedGeneration?: number;
}

/** A statement to make; the time is kept by whoever writes it. */
export type WantedCondition = Omit<Condition, 'lastTransitionTime' | 'observedGeneration'>;

/** Ready: what was asked for is there. */
export function ready(message = 'Everything that was asked for is there.'): WantedCondition {
  return { type: 'Ready', status: 'True', reason: 'Ready', message };
}

/** Not ready yet, and why: `progressing('Starting')`. */
export function progressing(reason: string, message = ''): WantedCondition {
  return { type: 'Ready', status: 'False', reason, message };
}
