import type { RolloutFailure } from './rollout-failure.ts';

/** How far the newest Revision of a Function has come, until it serves. */
export type RolloutState = {
  /** Name of the Revision. */
  readonly revision: string;
  /** Generation of the Function that asked for it. */
  readonly generation: number;
  /** 1 for the first try of this Revision. */
  readonly attempt: number;
  readonly startedAtMs: number;
} & (
  | {
      /** Source and packages are being stored. */
      readonly phase: 'preparing';
      /** What the installation said last. */
      readonly progress: string | undefined;
    }
  /** The first Instance is being started. */
  | { readonly phase: 'starting' }
  | {
      readonly phase: 'failed';
      readonly failure: RolloutFailure;
      /** When it is tried again; `undefined` when only a change can help. */
      readonly retryAtMs: number | undefined;
    }
);
