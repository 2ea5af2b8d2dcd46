import type { KubeObject, ResourceType } from '@fnlet/machinery';
import { type ChildId, childId, formatChildId } from './child-id.ts';
import { orderAnnotation } from './child-marks.ts';
import { type DesiredChildren, type PlacedChild, placeChildren } from './desired-child.ts';
import { ownerMarkFor, withOwner } from './ownership.ts';
import { isReady } from './readiness.ts';

/**
 * What is wrong with a wanted child. It is left alone, and so is everything that waits for it.
 *
 * - `MissingName`: children are known by name; a generated one would be new in each run.
 * - `UnknownKind`: the API does not serve its kind, or the operator has not declared it.
 * - `SameAsPrimary`: it is the primary itself.
 * - `Duplicate`: two entries are one object.
 * - `OutOfReach`: no owner reference works from the primary to it, and without a finalizer on the
 *   primary nobody would delete it.
 * - `UnknownPredecessor`: it waits for something that is not in the list.
 * - `CyclicOrder`: it waits for itself, directly or around.
 */
export type ChildProblem =
  | 'MissingName'
  | 'UnknownKind'
  | 'SameAsPrimary'
  | 'Duplicate'
  | 'OutOfReach'
  | 'UnknownPredecessor'
  | 'CyclicOrder';

/** A wanted child that can be written. */
export interface WantedChild {
  readonly child: ChildId;
  readonly key: string;
  /** The manifest as it is applied: with namespace, owner and order. */
  readonly manifest: KubeObject;
  /** Keys of the children that must be ready before. */
  readonly after: ReadonlySet<string>;
  readonly isReady: (live: KubeObject) => boolean;
  /** Whether it is neither written nor deleted. */
  readonly isAsIs: boolean;
}

/** A wanted child that cannot be written, and why. */
export interface FaultyChild {
  readonly child: ChildId;
  readonly key: string;
  readonly problem: ChildProblem;
  readonly message: string;
}

export interface WantedChildren {
  /** In the order in which they are written. */
  readonly wanted: readonly WantedChild[];
  readonly faulty: readonly FaultyChild[];
}

/** What decides how children belong to a primary. */
export interface Parenthood {
  readonly primary: KubeObject;
  /** How a kind is addressed; `undefined` when it is not known. */
  readonly typeOf: (apiVersion: string, kind: string) => ResourceType | undefined;
  /** The finalizer under which children are deleted that no owner reference reaches. */
  readonly finalizer?: string | undefined;
}

/** The step in which a child was written, as it tells itself. */
export function orderOf({ metadata }: KubeObject): number {
  const order = Number(metadata.annotations?.[orderAnnotation] ?? '0');
  return Number.isSafeInteger(order) ? order : 0;
}

/** Reads a list of desired children: what each one is, whose it is and what it waits for. */
export function readDesired(desired: DesiredChildren, parenthood: Parenthood): WantedChildren {
  const placed = placeChildren(desired).map((child) => locate(child, parenthood));
  const counts = Map.groupBy(placed, ({ key }) => key);
  const faulty = new Map<string, FaultyChild>();
  for (const { child, key, problem } of placed) {
    const isDuplicate = (counts.get(key)?.length ?? 0) > 1;
    const found = problem ?? (isDuplicate ? 'Duplicate' : undefined);
    if (found !== undefined) faulty.set(key, faultyChild(child, found));
  }
  const keys = placed.map(({ key }) => key);
  const after = new Map(
    placed.map((child) => [child.key, predecessors(child, keys, parenthood)] as const),
  );
  for (const { child, key } of placed) {
    const isUnknown = [...(after.get(key) ?? [])].some((other) => !counts.has(other));
    if (isUnknown && !faulty.has(key)) faulty.set(key, faultyChild(child, 'UnknownPredecessor'));
  }
  const steps = stepsOf(after);
  for (const { child, key } of placed) {
    if (!steps.has(key) && !faulty.has(key)) faulty.set(key, faultyChild(child, 'CyclicOrder'));
  }
  const wanted = placed
    .filter(({ key }) => !faulty.has(key))
    .map((child) => wantedChild(child, { after: after.get(child.key), steps, parenthood }));
  // Sorting is stable: within a step the order of the list stays.
  const inOrder = wanted.toSorted((a, b) => (steps.get(a.key) ?? 0) - (steps.get(b.key) ?? 0));
  return { wanted: inOrder, faulty: [...faulty.values()] };
}

interface LocatedChild extends PlacedChild {
  readonly child: ChildId;
  readonly key: string;
  readonly problem: ChildProblem | undefined;
}

function locate(placed: PlacedChild, parenthood: Parenthood): LocatedChild {
  const { object } = placed;
  const child = identify(object, parenthood);
  const problem = problemOf(child, object, parenthood);
  return { ...placed, child, key: formatChildId(child), problem };
}

/** The identity of a child as it was written: its namespace may be left to the primary. */
function identify(object: Parameters<typeof childId>[0], { primary, typeOf }: Parenthood): ChildId {
  const child = childId(object);
  const isNamespaced = typeOf(object.apiVersion, object.kind)?.namespaced ?? true;
  if (!isNamespaced) return { ...child, namespace: '' };
  return child.namespace === '' ? { ...child, namespace: primary.metadata.namespace ?? '' } : child;
}

function problemOf(
  child: ChildId,
  object: KubeObject,
  { primary, typeOf, finalizer }: Parenthood,
): ChildProblem | undefined {
  // What a function answers is JSON: a name may well be missing.
  const name: unknown = child.name;
  if (typeof name !== 'string' || name === '') return 'MissingName';
  if (typeOf(object.apiVersion, object.kind) === undefined) return 'UnknownKind';
  if (formatChildId(child) === formatChildId(childId(primary))) return 'SameAsPrimary';
  const isInReach = ownerMarkFor(primary, child.namespace) === 'reference';
  const finalizers = primary.metadata.finalizers ?? [];
  const isCleanedUp = finalizer !== undefined && finalizers.includes(finalizer);
  return isInReach || isCleanedUp ? undefined : 'OutOfReach';
}

function predecessors(
  { after = [], afterFirst }: LocatedChild,
  keys: readonly string[],
  parenthood: Parenthood,
): ReadonlySet<string> {
  const named = after.map((other) => formatChildId(identify(other, parenthood)));
  return new Set([...keys.slice(0, afterFirst), ...named]);
}

/** The step of every child that does not wait for itself: one more than what it waits for. */
function stepsOf(after: ReadonlyMap<string, ReadonlySet<string>>): ReadonlyMap<string, number> {
  const steps = new Map<string, number>();
  let isMoving = true;
  while (isMoving) {
    isMoving = false;
    for (const [key, others] of after) {
      if (steps.has(key)) continue;
      // What is not in the list is a problem of its own, not a cycle.
      const before = [...others].filter((other) => after.has(other)).map((key) => steps.get(key));
      if (before.includes(undefined)) continue;
      steps.set(key, Math.max(-1, ...before.map((step) => step ?? -1)) + 1);
      isMoving = true;
    }
  }
  return steps;
}

interface Placing {
  readonly after: ReadonlySet<string> | undefined;
  readonly steps: ReadonlyMap<string, number>;
  readonly parenthood: Parenthood;
}

function wantedChild(
  { child, key, object, isReady: ownRule, asIs = false }: LocatedChild,
  { after = new Set(), steps, parenthood }: Placing,
): WantedChild {
  const { primary } = parenthood;
  const { namespace: _, ...metadata } = object.metadata;
  const place = child.namespace === '' ? metadata : { ...metadata, namespace: child.namespace };
  const step = steps.get(key) ?? 0;
  const annotations = { ...metadata.annotations, [orderAnnotation]: String(step) };
  const ordered = step === 0 ? place : { ...place, annotations };
  const mark = ownerMarkFor(primary, child.namespace);
  const manifest = withOwner({ ...object, metadata: ordered }, primary, mark);
  return { child, key, manifest, after, isReady: ownRule ?? isReady, isAsIs: asIs };
}

function faultyChild(child: ChildId, problem: ChildProblem): FaultyChild {
  const key = formatChildId(child);
  return { child, key, problem, message: `Cannot apply ${key}: ${explanations[problem]}` };
}

const explanations: Readonly<Record<ChildProblem, string>> = {
  MissingName: 'found no name, expected metadata.name',
  UnknownKind: 'found a kind that is not known, expected one that the operator owns',
  SameAsPrimary: 'found the primary itself, expected another object',
  Duplicate: 'found it twice in the list, expected once',
  OutOfReach:
    'found no way to refer to its owner from there, expected a child in the namespace of its ' +
    'primary, or a primary with the finalizer of the operator (finalizer: true)',
  UnknownPredecessor: 'found that it waits for what is not wanted, expected children of the list',
  CyclicOrder: 'found that it waits for itself, expected an order that ends',
};
