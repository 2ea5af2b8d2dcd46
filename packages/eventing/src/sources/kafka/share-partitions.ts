/** By topic, the partitions of one member. */
export type MemberShare = ReadonlyMap<string, readonly number[]>;

/**
 * Shares the partitions of all topics among the members of a group, each of which gets only those
 * of topics that it reads: nobody would read the others. Members have about as many as another.
 *
 * @param members the topics that each reads
 * @param counts how many partitions each topic has; one that is missing is shared later
 */
export function sharePartitions(
  members: ReadonlyMap<string, readonly string[]>,
  counts: ReadonlyMap<string, number>,
): ReadonlyMap<string, MemberShare> {
  const ids = [...members.keys()].sort();
  const shares = new Map(ids.map((id) => [id, new Map<string, number[]>()]));
  const sizes = new Map(ids.map((id) => [id, 0]));
  for (const [topic, count] of [...counts].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const readers = ids.filter((id) => members.get(id)?.includes(topic));
    for (let partition = 0; partition < count; partition++) {
      const least = readers.reduce<string | undefined>((best, id) => {
        if (best === undefined) return id;
        return (sizes.get(id) ?? 0) < (sizes.get(best) ?? 0) ? id : best;
      }, undefined);
      if (least === undefined) break;
      const share = shares.get(least);
      share?.set(topic, [...(share.get(topic) ?? []), partition]);
      sizes.set(least, (sizes.get(least) ?? 0) + 1);
    }
  }
  return shares;
}
