import type { CacheEvent } from '@fnlet/client';
import type { KubeObject } from '@fnlet/machinery';

/**
 * What asked for a run: the newest of the events that did, or a time. `requeue`: the last run had
 * named it; `retry`: the last run has failed; `resync`: everything is looked at again; `moved`: keys
 * have moved among replicas, and what this one has now is looked at; `asked`: somebody outside of the
 * API, in words.
 */
export type RunCause =
  | CacheEvent<KubeObject>
  | { readonly kind: 'requeue' | 'retry' | 'resync' | 'moved' }
  | { readonly kind: 'asked'; readonly by: string };
