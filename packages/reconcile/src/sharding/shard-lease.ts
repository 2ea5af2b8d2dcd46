/*
 * What replicas tell each other, as Leases of one group: each session has one of its own, which
 * says that it is there, and one, named as the group, says who holds which shard.
 */
import { isJsonObject } from '@fnlet/base';
import { type ObjectKey, toKubeMicroTime } from '@fnlet/machinery';
import { type Lease, leaseType } from '../election/lease.ts';
import { ReconcileError } from '../reconcile-error.ts';
import { shardCount } from './limits.ts';
import type { ShardHolders } from './plan-shards.ts';

/** On every Lease of a group, with the group's name. */
export const groupLabel = 'fnlet.dev/shard-group';

/** On the group's Lease: `{"<session>": [0, 5, …]}`. */
export const shardsAnnotation = 'fnlet.dev/shards';

/** On a session's Lease: it gives away what it has, and must not be given anything. */
const leavingAnnotation = 'fnlet.dev/leaving';

/** The Lease with which a session says, each time it is applied, that it is alive. */
export function sessionLease(
  group: ObjectKey,
  session: { readonly name: string; readonly leaseMs: number; readonly isLeaving: boolean },
  now: number,
): Lease {
  return {
    apiVersion: `${leaseType.group}/${leaseType.version}`,
    kind: leaseType.kind,
    metadata: {
      namespace: group.namespace,
      name: session.name,
      labels: { [groupLabel]: group.name },
      ...(session.isLeaving ? { annotations: { [leavingAnnotation]: 'true' } } : {}),
    },
    spec: {
      holderIdentity: session.name,
      leaseDurationSeconds: session.leaseMs / 1000,
      renewTime: toKubeMicroTime(now),
    },
  };
}

export function isLeaving(lease: Lease): boolean {
  return lease.metadata.annotations?.[leavingAnnotation] === 'true';
}

/** The group's Lease, new or as it was, with other holders. Its transitions count the writes. */
export function groupLease(
  group: ObjectKey,
  known: Lease | undefined,
  write: { readonly holders: ShardHolders; readonly session: string; readonly now: number },
): Lease {
  const { holders, session, now } = write;
  const { metadata, spec } = known ?? {};
  return {
    apiVersion: `${leaseType.group}/${leaseType.version}`,
    kind: leaseType.kind,
    metadata: {
      ...metadata,
      ...group,
      labels: { ...metadata?.labels, [groupLabel]: group.name },
      annotations: { ...metadata?.annotations, [shardsAnnotation]: formatHolders(holders) },
    },
    spec: {
      ...spec,
      holderIdentity: session,
      renewTime: toKubeMicroTime(now),
      leaseTransitions: (spec?.leaseTransitions ?? 0) + 1,
    },
  };
}

/**
 * Who holds which shard, according to the group's Lease.
 *
 * @throws ReconcileError `InvalidShards`
 */
export function readHolders(lease: Lease | undefined): ShardHolders {
  const holders = new Array<string | undefined>(shardCount).fill(undefined);
  if (lease === undefined) return holders;
  for (const [session, shards] of Object.entries(parseShards(lease))) {
    for (const shard of shards) holders[shard] = session;
  }
  return holders;
}

function formatHolders(holders: ShardHolders): string {
  const sessions = new Set(holders.filter((holder) => holder !== undefined));
  const shardsOf = (session: string): number[] =>
    holders.flatMap((holder, shard) => (holder === session ? [shard] : []));
  return JSON.stringify(Object.fromEntries([...sessions].map((name) => [name, shardsOf(name)])));
}

function parseShards(lease: Lease): Readonly<Record<string, readonly number[]>> {
  const text = lease.metadata.annotations?.[shardsAnnotation] ?? '';
  const parsed = tryParseJson(text);
  if (isShards(parsed)) return parsed;
  throw new ReconcileError(
    'InvalidShards',
    `Cannot read who holds which shard in Lease "${lease.metadata.name}": found ${text}, ` +
      `expected lists of numbers below ${shardCount}`,
    { remedy: 'Stop all replicas of the group, delete the Lease, and start them again' },
  );
}

function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isShards(value: unknown): value is Readonly<Record<string, readonly number[]>> {
  return isJsonObject(value) && Object.values(value).every(isShardList);
}

function isShardList(value: unknown): boolean {
  return Array.isArray(value) && value.every((shard) => Number.isInteger(shard) && isShard(shard));
}

function isShard(shard: number): boolean {
  return shard >= 0 && shard < shardCount;
}
