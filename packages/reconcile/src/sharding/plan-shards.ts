/** Who holds each shard; `undefined` for nobody. */
export type ShardHolders = readonly (string | undefined)[];

/**
 * Who should hold each shard when these members share them: each of them as many as every other, or
 * one more, with as few moves as that takes. Equal inputs give equal answers, in any order of the
 * members, so that those who plan for themselves agree.
 */
export function planShards(holders: ShardHolders, members: readonly string[]): ShardHolders {
  const shares = shareOut(holders, members);
  const left = new Map(shares);
  const kept = holders.map((holder) => {
    const share = holder === undefined ? 0 : (left.get(holder) ?? 0);
    if (holder === undefined || share === 0) return undefined;
    left.set(holder, share - 1);
    return holder;
  });
  const takers = [...left].flatMap(([member, share]) => Array<string>(share).fill(member));
  return kept.map((holder) => holder ?? takers.shift());
}

/** How many shards each member should have; the odd ones stay with those who have most. */
function shareOut(holders: ShardHolders, members: readonly string[]): Map<string, number> {
  const counts = new Map(members.map((member) => [member, 0]));
  for (const holder of holders) {
    const count = holder === undefined ? undefined : counts.get(holder);
    if (holder !== undefined && count !== undefined) counts.set(holder, count + 1);
  }
  const base = Math.floor(holders.length / Math.max(1, counts.size));
  const odd = holders.length - base * counts.size;
  const ranked = [...counts].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
  return new Map(ranked.map(([member], rank) => [member, base + (rank < odd ? 1 : 0)]));
}
