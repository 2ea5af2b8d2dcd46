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
  /** One object, or with labels all that have them. */
  readonly key?: KeyReference;
  readonly labels?: string;
}

/**
 * What one run of a reconcile came to. It says what is wanted; what has to be written for it is
 * found out by whoever called.
 */
export interface Answer<Status = Readonly<Record<string, unknown>>> {
  /**
   * The children that are wanted, and no others: what an earlier run wanted and this one does not
   * is deleted, `[]` deletes all. Left out, all stay as they are. A list of lists is in stages: a
   * stage is made once those before it are ready.
   */
  readonly children?: readonly WantedChild[] | readonly (readonly WantedChild[])[];
  /** Fields of the status; those that are left out stay as they are, `undefined` removes one. */
  readonly status?: Readonly<{ [K in keyof Status]?: Status[K] | undefined }>;
  /** Statements; those of other types stay. */
  readonly conditions?: readonly WantedCondition[];
  readonly events?: readonly EventNote[];
  /** Run again after so long at the latest. */
  readonly requeueAfter?: DurationText | undefined;
  /** Objects without which the run could not tell; everything else in the answer waits for them. */
  readonly require?: readonly Requirement[];
  /** Of a cleanup: there is nothing left to do, the object may go. */
  readonly finalized?: boolean;
}

/** Nothing more to do: of a cleanup, that the object may go. */
export function done(): { readonly finalized: true } {
  return { finalized: true };
}

/** To be run again after so long, such as `requeueAfter('10m')`. */
export function requeueAfter(after: DurationText): { readonly requeueAfter: DurationText } {
  return { requeueAfter: after };
}
