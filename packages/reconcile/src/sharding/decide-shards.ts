import { planShards, type ShardHolders } from './plan-shards.ts';

/** What a session knows when it decides. */
export interface ShardView {
  readonly session: string;
  readonly holders: ShardHolders;
  /** Sessions that take shards: alive as far as is known, and not leaving. */
  readonly members: readonly string[];
  /** Whether a session is over for good. */
  readonly isDead: (session: string) => boolean;
  /** Whether a shard of its own is run no more: neither now nor by what is still under way. */
  readonly isDrained: (shard: number) => boolean;
  /** Shards that a write, whose outcome is not known yet, gives away. */
  readonly offered: ReadonlySet<number>;
}

export interface ShardDecision {
  /** Shards whose keys this session runs. */
  readonly run: ReadonlySet<number>;
  /** What to write into the group's Lease, if anything. */
  readonly write: ShardHolders | undefined;
}

/**
 * What a session runs, and how the shards move.
 *
 * A shard changes hands in two ways only: its holder gives it away, once nothing of it runs any
 * more; or its holder is dead. Nobody ever takes a shard from a living session. A shard that a lost
 * write may still give away is run by nobody, until a new version of the group's Lease shows what
 * came of that write: hence there is always something to write while shards are offered.
 */
export function decideShards(view: ShardView): ShardDecision {
  const { session, holders, isDead, offered } = view;
  const wanted = planShards(holders, view.members);
  const isMine = (shard: number): boolean => holders[shard] === session;
  const run = new Set(
    holders.flatMap((_, shard) =>
      isMine(shard) && wanted[shard] === session && !offered.has(shard) ? [shard] : [],
    ),
  );
  const isFree = (shard: number, holder: string | undefined): boolean => {
    if (holder === session) return !run.has(shard) && view.isDrained(shard);
    return holder === undefined || isDead(holder);
  };
  const next = holders.map((holder, shard) => (isFree(shard, holder) ? wanted[shard] : holder));
  const isChange = offered.size > 0 || next.some((holder, shard) => holder !== holders[shard]);
  return { run, write: isChange ? next : undefined };
}
