import type { Condition } from '@fnlet/machinery';

export type { Condition };

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
