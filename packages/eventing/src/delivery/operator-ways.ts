import type { ObjectKey } from '@fnlet/machinery';

/**
 * What became of it: `noted`: the object will be run, also after a crash, or there is none;
 * `notRunning`: its Operator does not run now; `elsewhere`: another replica has the object.
 */
export type WakeOutcome = 'noted' | 'notRunning' | 'elsewhere';

/** How Triggers reach Operators. */
export interface OperatorWays {
  /** Whether there is such an Operator. */
  has(operator: ObjectKey): boolean;
  /** Asks for a run of an object; `by` says in words who does. */
  wake(operator: ObjectKey, object: ObjectKey, by: string): Promise<WakeOutcome>;
  /** Calls back with each Operator that comes or goes, until the returned function is called. */
  subscribe(listener: (operator: ObjectKey) => void): () => void;
}
