import type { KubeObject } from '@fnlet/machinery';
import type { Applied } from './apply-memory.ts';
import type { ChildId } from './child-id.ts';
import type { ChildProblem } from './wanted-child.ts';

interface OfChild {
  readonly child: ChildId;
  /** The identity as text, see formatChildId. */
  readonly key: string;
}

/** A child to be applied. */
export interface WriteAction extends OfChild {
  /**
   * - `create`: it is not there.
   * - `adopt`: it is there and nobody's.
   * - `apply`: it is there and ours.
   */
  readonly kind: 'create' | 'adopt' | 'apply';
  readonly reason: 'Missing' | 'Changed' | 'Drifted' | 'Unknown';
  readonly manifest: KubeObject;
  readonly observed: KubeObject | undefined;
}

/** A child that needs nothing now. */
export interface SkipAction extends OfChild {
  readonly kind: 'skip';
  /**
   * - `Same`: it is as desired.
   * - `AsIs`: it is wanted as it is.
   * - `Stale`: an own write made it so, and was not read back yet.
   * - `PrimaryDeleted`: nothing new is made for a primary that goes.
   * - `NotApplied`: it is not wanted, but we did not write it, so it is not ours to delete.
   */
  readonly reason: 'Same' | 'AsIs' | 'Stale' | 'PrimaryDeleted' | 'NotApplied';
  /** What to remember of it. */
  readonly applied?: Applied;
  readonly observed?: KubeObject;
}

/** A child whose turn comes later. */
export interface WaitAction extends OfChild {
  readonly kind: 'wait';
  /**
   * - `NotReady`: for these children to become ready.
   * - `BeingDeleted`: for itself to be gone.
   * - `StillThere`: for these children, which came after it, to be gone.
   */
  readonly reason: 'NotReady' | 'BeingDeleted' | 'StillThere';
  /** Keys of the children that it waits for. */
  readonly waitsFor: readonly string[];
}

/** A child that is left alone until somebody does something about it. */
export interface BlockedAction extends OfChild {
  readonly kind: 'blocked';
  /**
   * - a ChildProblem: the wish cannot be fulfilled.
   * - `ForeignOwner`: it is another controller's.
   * - `Contested`: its breaker is open, another manager writes the same fields.
   */
  readonly reason: ChildProblem | 'ForeignOwner' | 'Contested';
  readonly message: string;
  /** When an open breaker lets a probe through, milliseconds since the Unix epoch. */
  readonly untilMs?: number;
  /** What a contested child is kept from becoming. */
  readonly manifest?: KubeObject;
}

/** A child to be deleted. */
export interface PruneAction extends OfChild {
  readonly kind: 'prune';
  readonly object: KubeObject;
  /** Whether it is known that we applied it; else managedFields of the live object must tell. */
  readonly isKnownOurs: boolean;
}

/** One thing to do, or not to do, for one child. */
export type ChildAction = WriteAction | SkipAction | WaitAction | BlockedAction | PruneAction;
