import type { FunctionReason, FunctionSource, SourceStatus } from '@fnlet/api';

/** What a source is now. */
export type ResolvedSource =
  | {
      readonly kind: 'resolved';
      /** As a Revision freezes it: what it names cannot change any more. */
      readonly source: FunctionSource;
      /** What it was found to be, for the status; `undefined` where there was nothing to find. */
      readonly found?: SourceStatus | undefined;
      /** Why it may not be what it is there by now. */
      readonly trouble?: SourceTrouble | undefined;
    }
  | Unresolved;

/** Why nobody knows what a source is. */
export interface SourceTrouble {
  readonly reason: FunctionReason;
  readonly message: string;
}

/** There is nothing to freeze, or not yet. */
export interface Unresolved extends SourceTrouble {
  readonly kind: 'unresolved';
  /** For the status: which demand was answered nevertheless. */
  readonly found?: SourceStatus | undefined;
}
