import type { WantedCondition } from './condition.ts';
import type { KeyReference, Kind } from './kind.ts';
import type { WantedMeta } from './object.ts';

/** A text such as `30s`, `1h30m`, `250ms`. */
export type DurationText = string;

/** A child that is wanted: made with `Kind.of`. */
export interface WantedChild {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: WantedMeta;
}

/** A wanted child with what is to be known about it besides its fields. */
export interface ChildWish {
  readonly object: WantedChild;
  /** Children of the same list that must be ready before this one is written. */
  readonly after?: readonly WantedChild[];
  /** It is wanted as it is: neither written nor deleted. */
  readonly asIs?: boolean;
}

/** One wanted child, or more about it. */
export type Child = WantedChild | ChildWish;

/** Something worth telling people, in `kubectl describe` and `kubectl events`. */
export interface EventNote {
  /** Default: Normal. */
  readonly type?: 'Normal' | 'Warning';
  /** One word in CamelCase. */
  readonly reason: string;
  readonly message: string;
}

/** More objects that a run needs: it is run again with them. */
export interface Requirement {
  readonly kind: Kind;
  /** One object; without a key all, or all with these labels. */
  readonly key?: KeyReference;
  readonly labels?: string;
  /** Where they are. Default: the namespace of the object; for one that has none, everywhere. */
  readonly namespace?: string;
}

/**
 * What one run of a reconcile came to. It says what is wanted; what has to be written for it is
 * found out by whoever called.
 */
export interface Answer<Status = Readonly<Record<string, unknown>>> {
  /**
   * The children that are wanted, and no others: what an earlier run wanted and this one does not
   * is deleted, `[]` deletes all. Left out, all stay as they are. A list in the list is a stage: its
   * children are written once all that stand before it are ready.
   */
  readonly children?: readonly (Child | readonly Child[])[];
  /**
   * All that there is to say in the status: what an earlier run said and this one does not goes,
   * what others say stays. Left out, it stays as it is. `observedGeneration` is added.
   */
  readonly status?: Readonly<{ [K in keyof Status]?: Status[K] | undefined }>;
  /** The same for conditions; their transition times are kept by whoever writes them. */
  readonly conditions?: readonly WantedCondition[];
  readonly events?: readonly EventNote[];
  /** Run again after so long at the latest. */
  readonly requeueAfter?: DurationText | undefined;
  /** Objects without which the run could not tell; everything else in the answer waits for them. */
  readonly require?: readonly Requirement[];
  /** Of a cleanup: there is nothing left to do, the object may go. */
  readonly finalized?: boolean;
}

/** A child that stays as it is, such as a Job that runs: it is neither written nor deleted. */
export function asIs({ apiVersion, kind, metadata }: WantedChild): ChildWish {
  const { name, namespace } = metadata;
  const reference = namespace === undefined ? { name } : { name, namespace };
  return { object: { apiVersion, kind, metadata: reference }, asIs: true };
}

/** Nothing more to do: of a cleanup, that the object may go. */
export function done(): { readonly finalized: true } {
  return { finalized: true };
}

/** To be run again after so long, such as `requeueAfter('10m')`. */
export function requeueAfter(after: DurationText): { readonly requeueAfter: DurationText } {
  return { requeueAfter: after };
}
