import type { KubeObject } from '@fnlet/machinery';
import type { ChildReference } from './child-id.ts';

/** A child with what is to be known about it besides its manifest. */
export interface DesiredChildOptions {
  /** The fields that are wanted, as server-side apply takes them. */
  readonly object: KubeObject;
  /** Children of the same list that must be ready before this one is written. */
  readonly after?: readonly ChildReference[];
  /** Whether it is wanted as it is: neither written nor deleted. Default false. */
  readonly asIs?: boolean;
  /** When it counts as ready. Default: the rule of its kind, see readiness.ts. */
  readonly isReady?: (live: KubeObject) => boolean;
}

/** One wanted child: its manifest, or more. */
export type DesiredChild = KubeObject | DesiredChildOptions;

/**
 * The children that a primary wants. An array in the list is a stage: its children wait for all
 * that stand before it.
 *
 * @example
 * [namespace, [role, account], [{ object: deployment, isReady }], serviceMonitor]
 */
export type DesiredChildren = readonly (DesiredChild | readonly DesiredChild[])[];

/** A wanted child in its place: what stands in a stage waits for what stands before the stage. */
export interface PlacedChild extends DesiredChildOptions {
  /** How many children of the list stand before its stage; 0 outside of stages. */
  readonly afterFirst: number;
}

/** The children of a list, stages dissolved. */
export function placeChildren(desired: DesiredChildren): readonly PlacedChild[] {
  const placed: PlacedChild[] = [];
  for (const item of desired) {
    const afterFirst = isStage(item) ? placed.length : 0;
    const children = isStage(item) ? item : [item];
    placed.push(...children.map((child) => ({ ...optionsOf(child), afterFirst })));
  }
  return placed;
}

function isStage(item: DesiredChild | readonly DesiredChild[]): item is readonly DesiredChild[] {
  return Array.isArray(item);
}

function optionsOf(child: DesiredChild): DesiredChildOptions {
  return isManifest(child) ? { object: child } : child;
}

function isManifest(child: DesiredChild): child is KubeObject {
  return 'apiVersion' in child;
}
