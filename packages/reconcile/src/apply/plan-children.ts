/*
 * From what a primary wants and what is there to one action per child, as data. Pure: the driver is
 * child-writer.ts.
 *
 * I1. Every child, wanted or owned, gets exactly one action; equal input gives the equal list: what
 *     is wanted in the order of its steps, then what goes in the reverse order.
 * I2. Nothing of a foreign controller is written, nothing is deleted that this field manager did
 *     not apply for this very primary.
 * I3. A list in which something has no name prunes nothing: what it names could be what is there.
 */
import type { KubeObject } from '@fnlet/machinery';
import type { ChildRecord } from './apply-memory.ts';
import { openUntilMs } from './breaker.ts';
import type {
  BlockedAction,
  ChildAction,
  PruneAction,
  SkipAction,
  WaitAction,
  WriteAction,
} from './child-action.ts';
import { childId, formatChildId } from './child-id.ts';
import { decideWrite } from './decide-write.ts';
import type { DesiredChildren } from './desired-child.ts';
import type { Applier, OwnedFieldsReader } from './owned-fields.ts';
import { foreignOwner, isOwnedBy } from './ownership.ts';
import { orderOf, type Parenthood, readDesired, type WantedChild } from './wanted-child.ts';

/** Everything that decides what is to be done for the children of a primary. */
export interface ChildrenQuestion extends Parenthood {
  /** Absent: leave everything as it is. An empty list: delete all children. */
  readonly desired: DesiredChildren | undefined;
  /** Whether `desired` is all that the primary wants. Default true; if not, nothing is deleted. */
  readonly isComplete?: boolean | undefined;
  /** Children of the primary, and whatever else is there under the names of the wanted ones. */
  readonly observed: readonly KubeObject[];
  /** Whether an object was read only in part, see WriteQuestion. Default: none. */
  readonly isPartial?: ((observed: KubeObject) => boolean) | undefined;
  /** What is remembered of a child, by its key. */
  readonly recall: (key: string) => ChildRecord | undefined;
  readonly applier: Applier;
  readonly reader: OwnedFieldsReader;
  /** Milliseconds since the Unix epoch. */
  readonly nowMs: number;
}

/**
 * What the primary asks for, as a breaker sees it: its generation, or its version when its kind has
 * none. Writes that follow a new one are work, not a fight.
 */
export function causeOf({ metadata }: KubeObject): string {
  return String(metadata.generation ?? metadata.resourceVersion ?? '');
}

/** One action per child. */
export function planChildren(question: ChildrenQuestion): readonly ChildAction[] {
  if (question.desired === undefined) return [];
  const observed = new Map(
    question.observed.map((object) => [formatChildId(childId(object)), object] as const),
  );
  const { wanted, faulty } = readDesired(question.desired, question);
  const ready = new Set<string>();
  const writes = wanted.map((child) => {
    const live = observed.get(child.key);
    const action = decideChild(question, { wanted: child, live, ready });
    const isDone = action.kind === 'skip' && (action.reason === 'Same' || action.reason === 'AsIs');
    if (isDone && live !== undefined && child.isReady(live)) ready.add(child.key);
    return action;
  });
  const blocked = faulty.map(({ child, key, problem, message }): BlockedAction => {
    return { kind: 'blocked', reason: problem, child, key, message };
  });
  const { isComplete = true } = question;
  const isNamed = faulty.every(({ problem }) => problem !== 'MissingName');
  const named = new Set([...wanted, ...faulty].map(({ key }) => key));
  const pruned = isComplete && isNamed ? planPrune(question, observed, named) : [];
  return [...writes, ...blocked, ...pruned];
}

interface Situation {
  readonly wanted: WantedChild;
  readonly live: KubeObject | undefined;
  /** Keys of the children before it that are as desired, and ready. */
  readonly ready: ReadonlySet<string>;
}

function decideChild(
  question: ChildrenQuestion,
  { wanted, live, ready }: Situation,
): WriteAction | SkipAction | WaitAction | BlockedAction {
  const { child, key, manifest, after } = wanted;
  const { primary, recall, applier, reader, nowMs } = question;
  const record = recall(key);
  const blocked = live === undefined ? undefined : blockedByOwner(live, wanted, primary);
  if (blocked !== undefined) return blocked;
  if (live?.metadata.deletionTimestamp !== undefined) {
    return { kind: 'wait', reason: 'BeingDeleted', child, key, waitsFor: [key] };
  }
  if (wanted.isAsIs) {
    const about = live === undefined ? {} : { observed: live };
    return { kind: 'skip', reason: 'AsIs', child, key, ...about };
  }
  const isOurs = live !== undefined && isOwnedBy(live, primary);
  if (primary.metadata.deletionTimestamp !== undefined && !isOurs) {
    return { kind: 'skip', reason: 'PrimaryDeleted', child, key };
  }
  const { applied } = record ?? {};
  const isPartial = live !== undefined && question.isPartial?.(live) === true;
  const decision = decideWrite({ manifest, observed: live, applied, applier, reader, isPartial });
  if (!decision.isNeeded) {
    const about = live === undefined ? {} : { observed: live };
    return decision.reason === 'Same'
      ? { kind: 'skip', reason: 'Same', child, key, applied: decision.applied, ...about }
      : { kind: 'skip', reason: 'Stale', child, key, ...about };
  }
  const waitsFor = [...after].filter((other) => !ready.has(other));
  if (waitsFor.length > 0) return { kind: 'wait', reason: 'NotReady', child, key, waitsFor };
  const untilMs = openUntilMs(record?.breaker, { cause: causeOf(primary), nowMs });
  if (untilMs !== undefined) return contested(wanted, untilMs);
  const kind = live === undefined ? 'create' : isOurs ? 'apply' : 'adopt';
  return { kind, reason: decision.reason, child, key, manifest, observed: live };
}

function blockedByOwner(
  live: KubeObject,
  { child, key }: WantedChild,
  primary: KubeObject,
): BlockedAction | undefined {
  const owner = foreignOwner(live, primary);
  if (owner === undefined) return undefined;
  const message = `Cannot apply ${key}: found that ${owner} controls it, expected nobody else`;
  return { kind: 'blocked', reason: 'ForeignOwner', child, key, message };
}

function contested({ child, key, manifest }: WantedChild, untilMs: number): BlockedAction {
  const message = `Cannot apply ${key}: found it changed back again and again, expected it to stay`;
  return { kind: 'blocked', reason: 'Contested', child, key, message, untilMs, manifest };
}

/** What is owned and no longer wanted, last step first; a step waits until later ones are gone. */
function planPrune(
  question: ChildrenQuestion,
  observed: ReadonlyMap<string, KubeObject>,
  wanted: ReadonlySet<string>,
): readonly (PruneAction | WaitAction | SkipAction)[] {
  const leaving = [...observed]
    .filter(([key, object]) => !wanted.has(key) && isOwnedBy(object, question.primary))
    .map(([key, object]) => ({ key, object, ours: isOurs(question, key, object) }))
    .toSorted((a, b) => comparePruned(a.object, b.object) || (a.key < b.key ? -1 : 1));
  return leaving.map(({ key, object, ours }) => {
    const child = childId(object);
    if (ours === 'no') return { kind: 'skip', reason: 'NotApplied', child, key, observed: object };
    if (isGoing(question, key, object)) {
      return { kind: 'wait', reason: 'BeingDeleted', child, key, waitsFor: [key] };
    }
    const later = leaving.filter(
      (other) => other.ours !== 'no' && orderOf(other.object) > orderOf(object),
    );
    if (later.length > 0) {
      const waitsFor = later.map((other) => other.key);
      return { kind: 'wait', reason: 'StillThere', child, key, waitsFor };
    }
    return { kind: 'prune', child, key, object, isKnownOurs: ours === 'yes' };
  });
}

function comparePruned(a: KubeObject, b: KubeObject): number {
  const byOrder = orderOf(b) - orderOf(a);
  if (byOrder !== 0) return byOrder;
  const [aged, young] = [a, b].map(({ metadata }) => metadata.creationTimestamp ?? '');
  return aged === young || aged === undefined || young === undefined ? 0 : aged < young ? 1 : -1;
}

/** Whether this field manager applied it; what a cache left out, the live object must tell. */
function isOurs(
  { recall, reader, applier }: ChildrenQuestion,
  key: string,
  object: KubeObject,
): 'yes' | 'no' | 'unknown' {
  if (recall(key)?.applied?.uid === object.metadata.uid) return 'yes';
  if (object.metadata.managedFields === undefined) return 'unknown';
  return reader.ofApplier(object, applier) === undefined ? 'no' : 'yes';
}

function isGoing({ recall }: ChildrenQuestion, key: string, { metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp !== undefined || recall(key)?.prunedUid === metadata.uid;
}
