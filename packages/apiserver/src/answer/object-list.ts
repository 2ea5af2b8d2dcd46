import type { KubeObject } from '@fnlet/machinery';
import type { JsonDocument } from '../request/json-document.ts';

/** A page of a list. */
export interface ObjectList {
  readonly items: readonly JsonDocument<KubeObject>[];
  /** The state that all pages of this list show. */
  readonly revision: number;
  readonly continueToken: string | undefined;
  /** How many objects follow; unknown when a selector narrows the list. */
  readonly remaining: number | undefined;
}
