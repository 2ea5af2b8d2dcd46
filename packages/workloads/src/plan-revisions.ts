import { jsonEqual } from '@fnlet/base';
import type { ControllerRevision, RevisionOwner } from './controller-revision.ts';
import { revisionData } from './controller-revision.ts';

export interface RevisionSituation {
  readonly owner: RevisionOwner;
  /** The history that it controls. */
  readonly revisions: readonly ControllerRevision[];
  /** Names of revisions that Pods are of, or the status names. */
  readonly live: ReadonlySet<string>;
}

export interface RevisionPlan {
  /** The number that the present template gets; `undefined` when it has the highest already. */
  readonly number: number | undefined;
  /** The revision of the present template; `undefined` when there is none yet. */
  readonly present: ControllerRevision | undefined;
  readonly remove: readonly ControllerRevision[];
}

/**
 * Decides about the history of templates (pkg/controller/history): the present one has the highest
 * number, also when it is back from earlier; of those that no Pod is of, the youngest stay, as many
 * as `revisionHistoryLimit` says.
 */
export function planRevisions({ owner, revisions, live }: RevisionSituation): RevisionPlan {
  const { template, revisionHistoryLimit = 10 } = owner.spec;
  const data = revisionData(template);
  const ordered = revisions.toSorted((a, b) => a.revision - b.revision);
  const present = ordered.findLast((revision) => jsonEqual(revision.data, data));
  const highest = ordered.at(-1);
  const isFirst = present !== undefined && present.revision === highest?.revision;
  const spare = ordered.filter(
    (revision) => revision !== present && !live.has(revision.metadata.name),
  );
  return {
    number: isFirst ? undefined : (highest?.revision ?? 0) + 1,
    present,
    remove: spare.slice(0, Math.max(0, spare.length - revisionHistoryLimit)),
  };
}
