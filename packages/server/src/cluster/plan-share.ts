/** A Gateway as a candidate for Instances that only one may call at a time. */
export interface Sharer {
  /** Instances that it alone calls now. */
  readonly owned: number;
  /** Calls of the Revision that it has under way, and that wait at it. */
  readonly inFlight: number;
  readonly queued: number;
  /** Whether the Instance in question is in its zone; `undefined`: nobody knows. */
  readonly isNear?: boolean | undefined;
}

/** From whom an Instance goes, and to whom; positions among the sharers. */
export interface Move {
  readonly from: number;
  readonly to: number;
}

/**
 * Who gets an Instance that nobody calls; `undefined` without anybody. Who waits goes first, then
 * who has least, and who is in its zone before who has one less.
 */
export function planPlacement(sharers: readonly Sharer[]): number | undefined {
  let best: number | undefined;
  for (const [index, sharer] of sharers.entries()) {
    const other = best === undefined ? undefined : sharers[best];
    if (other === undefined || isNeedier(sharer, other)) best = index;
  }
  return best;
}

/** More than one Instance, less than two: nobody has three more than another for its zone. */
const nearWorth = 1.5;

function isNeedier(one: Sharer, other: Sharer): boolean {
  const needs = (sharer: Sharer): boolean => sharer.queued > 0;
  if (needs(one) !== needs(other)) return needs(one);
  const weigh = ({ owned, isNear }: Sharer): number => owned + (isNear === true ? 0 : nearWorth);
  return weigh(one) < weigh(other);
}

/**
 * Which Instance is to change hands, if one should: to who has calls that wait and no room for
 * them, from who has more than its calls need, or else from who has more by two, or all there is.
 *
 * @param limit calls in flight that an Instance may have
 */
export function planMove(sharers: readonly Sharer[], limit: number): Move | undefined {
  const to = planPlacement(sharers);
  const needy = to === undefined ? undefined : sharers[to];
  if (to === undefined || needy === undefined) return undefined;
  if (needy.queued === 0 || needy.inFlight < needy.owned * limit) return undefined;
  let from: number | undefined;
  let most = 0;
  for (const [index, sharer] of sharers.entries()) {
    if (index === to || sharer.owned === 0) continue;
    const spare = sharer.owned - Math.ceil((sharer.inFlight + sharer.queued) / limit);
    const isAhead = sharer.owned - needy.owned >= 2 || needy.owned === 0;
    if (spare <= 0 && !isAhead) continue;
    // What is idle goes before what is only more.
    const weight = spare > 0 ? 1_000_000 + spare : sharer.owned;
    if (weight > most) {
      most = weight;
      from = index;
    }
  }
  return from === undefined ? undefined : { from, to };
}
