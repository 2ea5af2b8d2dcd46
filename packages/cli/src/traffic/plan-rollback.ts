import type { FunctionObject, RevisionObject, TrafficTarget } from '@fnlet/api';
import { findCondition } from '@fnlet/machinery';
import { CliError } from '../cli-error.ts';
import { exitCodes } from '../exit-codes.ts';

/** What `fnlet rollback` asks for. */
export type RollbackWish =
  /** The Revision that calls went to before. */
  | { readonly kind: 'previous' }
  | { readonly kind: 'revision'; readonly name: string }
  /** No going back any more: the newest. */
  | { readonly kind: 'latest' };

/** What is written for it. */
export interface Rollback {
  /** Name of the Revision that calls go to then; `undefined`: the newest. */
  readonly revision: string | undefined;
  /** The new `spec.traffic`; `null` for none. */
  readonly traffic: readonly TrafficTarget[] | null;
}

/**
 * Pins the calls of a Function to an older Revision, or takes that back. Tags stay where they are.
 *
 * @throws CliError `failed` when there is nothing to go back to, `notFound` when there is no such
 *   Revision.
 */
export function planRollback(
  owner: FunctionObject,
  revisions: readonly RevisionObject[],
  wish: RollbackWish,
): Rollback {
  const { traffic = [] } = owner.spec;
  if (wish.kind === 'latest') {
    const all = pin(traffic, { latest: true });
    return { revision: undefined, traffic: all.length === 1 && isPlain(all[0]) ? null : all };
  }
  const ready = revisions.filter(
    ({ status }) => findCondition(status?.conditions, 'Ready')?.status === 'True',
  );
  const revision = wish.kind === 'revision' ? wish.name : previous(owner, ready);
  if (!ready.some(({ metadata }) => metadata.name === revision)) {
    throw notThere(owner, revision, ready);
  }
  return { revision, traffic: pin(traffic, { revision }) };
}

/** The Revision that served last, before the one that serves or is about to. */
function previous(owner: FunctionObject, ready: readonly RevisionObject[]): string {
  const { revision: served, canary } = owner.status ?? {};
  const current = canary?.phase === 'Progressing' ? canary.revision : served;
  const failed = canary?.phase === 'RolledBack' ? canary.revision : undefined;
  const [last] = byService(ready).filter(
    ({ metadata, status }) =>
      status?.servedAt !== undefined && metadata.name !== current && metadata.name !== failed,
  );
  if (last !== undefined) return last.metadata.name;
  throw new CliError(
    exitCodes.failed,
    `Cannot roll back Function "${owner.metadata.name}": found no Revision that served before ` +
      `${current ?? 'any'}, expected one`,
    { remedy: `Look at what there is with: fnlet revisions ${owner.metadata.name}` },
  );
}

/** The Revision that calls went to last comes first, those that never had any come last. */
export function byService(revisions: readonly RevisionObject[]): readonly RevisionObject[] {
  const at = ({ metadata, status }: RevisionObject): string =>
    `${status?.servedAt ?? ''} ${metadata.creationTimestamp ?? ''}`;
  return revisions.toSorted((a, b) => at(b).localeCompare(at(a)));
}

type Place = Pick<TrafficTarget, 'revision' | 'latest'>;

/** Everything to one place; what has a tag is still called by it. */
function pin(traffic: readonly TrafficTarget[], place: Place): readonly TrafficTarget[] {
  const tagged = traffic.filter(({ tag }) => tag !== undefined);
  const own = tagged.find(
    ({ revision, latest }) => revision === place.revision && latest === place.latest,
  );
  const others = tagged.filter((target) => target !== own);
  return [{ ...own, ...place, percent: 100 }, ...others.map((other) => ({ ...other, percent: 0 }))];
}

function isPlain(target: TrafficTarget | undefined): boolean {
  return target?.tag === undefined;
}

function notThere(
  { metadata }: FunctionObject,
  name: string,
  ready: readonly RevisionObject[],
): CliError {
  const there = ready.map((revision) => revision.metadata.name).join(', ') || 'none that was ready';
  return new CliError(
    exitCodes.notFound,
    `Cannot roll back Function "${metadata.name}": found no Revision "${name}" that was ready, ` +
      `expected one of: ${there}`,
  );
}
