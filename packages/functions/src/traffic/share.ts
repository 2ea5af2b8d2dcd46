import type { RevisionTemplate } from '@fnlet/api';

/** A Revision that calls go to, as far as a route depends on it. */
export interface ServedRevision {
  readonly name: string;
  readonly timeout: RevisionTemplate['timeout'];
}

/** What a Revision gets of the calls of its Function. One may have several, with different tags. */
export interface Share {
  readonly revision: ServedRevision;
  /** From 0 to 100; those of one Function add up to 100. */
  readonly percent: number;
  readonly tag?: string;
  /** It has this as the newest Revision. */
  readonly latest?: true;
}

/** What a Revision of this name gets in all. */
export function percentOf(shares: readonly Share[], name: string): number {
  let percent = 0;
  for (const share of shares) if (share.revision.name === name) percent += share.percent;
  return percent;
}

/** The Revision that most calls go to, the first of several. */
export function mainRevision(shares: readonly Share[]): ServedRevision | undefined {
  const percent = ({ revision }: Share): number => percentOf(shares, revision.name);
  return shares.toSorted((a, b) => percent(b) - percent(a))[0]?.revision;
}

/**
 * The shares without those of Revisions that are gone; what these had goes to the one that has
 * most. None, where no other Revision had calls: one with a tag alone was never meant for all.
 */
export function remainingShares(
  shares: readonly Share[],
  isThere: (revision: string) => boolean,
): readonly Share[] {
  const left = shares.filter(({ revision }) => isThere(revision.name));
  if (left.length === shares.length) return shares;
  const heir = left.find(
    ({ revision, percent }) => percent > 0 && revision.name === mainRevision(left)?.name,
  );
  if (heir === undefined) return [];
  const given = left.reduce((sum, { percent }) => sum + percent, 0);
  return left.map((share) =>
    share === heir ? { ...share, percent: share.percent + 100 - given } : share,
  );
}

/** Whether all calls go to one Revision that nothing but its name tells from others. */
export function isPlain(shares: readonly Share[]): boolean {
  return shares.length === 1 && shares[0]?.tag === undefined;
}

/** The shares in words: `90 % to hello-1, 10 % to hello-2 (canary)`. */
export function describeShares(shares: readonly Share[]): string {
  return shares
    .map(({ revision, percent, tag }) => {
      const tagged = tag === undefined ? '' : ` (${tag})`;
      return `${percent} % to ${revision.name}${tagged}`;
    })
    .join(', ');
}
