import type { Random } from '@fnlet/base';
import { readCookie } from '../cookie.ts';
import type { FieldBlock } from '../http1/field-block.ts';
import { fieldValues } from '../policy/field-changes.ts';
import type { RouteShare, RouteSplit } from '../route.ts';

/** What a request says about where it wants to go. */
export interface Asked {
  readonly fields: FieldBlock;
  /** The tag whose address was called. */
  readonly tag: string | undefined;
  /** Name of the cookie that holds the Revision of a session. */
  readonly cookie: string;
}

export interface Choice {
  readonly share: RouteShare;
  /** Whether it was left to chance, so that a session begins with it. */
  readonly byChance: boolean;
}

/**
 * The Revision that a call goes to: the tag whose address was called, else the Revision or the tag
 * that the request names, else that of its session, else by chance and percentage. A name that
 * nothing has (any more) is passed over, as Knative does with its tag header.
 */
export function chooseShare(split: RouteSplit, asked: Asked, random: Random): Choice {
  const { shares, sessionSeconds } = split;
  const { fields } = asked;
  const named =
    byTag(shares, asked.tag) ??
    byRevision(shares, fieldValues(fields, 'x-fnlet-revision')[0]) ??
    byTag(shares, fieldValues(fields, 'x-fnlet-tag')[0]);
  if (named !== undefined) return { share: named, byChance: false };
  if (sessionSeconds !== undefined) {
    const known = byRevision(shares, readCookie(fields, asked.cookie));
    if (known !== undefined) return { share: known, byChance: false };
  }
  return { share: byPercent(shares, random), byChance: true };
}

function byTag(shares: readonly RouteShare[], tag: string | undefined): RouteShare | undefined {
  return tag === undefined ? undefined : shares.find((share) => share.tag === tag);
}

/** `name` as in the API, without the namespace that its id begins with. */
function byRevision(
  shares: readonly RouteShare[],
  name: string | undefined,
): RouteShare | undefined {
  if (name === undefined) return undefined;
  return shares.find(({ route }) => route.revision === `${route.namespace}/${name}`);
}

function byPercent(shares: readonly RouteShare[], random: Random): RouteShare {
  let rest = random.next() * 100;
  for (const share of shares) {
    rest -= share.percent;
    if (rest < 0) return share;
  }
  const [first] = shares;
  if (first === undefined) throw new RangeError('A split has no share');
  return first;
}
