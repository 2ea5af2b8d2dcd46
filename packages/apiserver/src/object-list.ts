import type { KeptObject } from './kept-object.ts';

/** A page of a list. */
export interface ObjectList {
  readonly items: readonly KeptObject[];
  /** The state that all pages of this list show. */
  readonly revision: number;
  readonly continueToken: string | undefined;
  /** How many objects follow; unknown when a selector narrows the list. */
  readonly remaining: number | undefined;
}
