import { silentLogger } from '@fnlet/base';
import type { ElectionTimings } from '../src/election/election-timings.ts';
import { type Lease, leaseType } from '../src/election/lease.ts';
import { createLeaseElection } from '../src/election/lease-election.ts';
import type { LeaderElection } from '../src/leadership.ts';
import type { SimulatedNode, SimulatedWorld } from './simulated-world.ts';

const lease = { namespace: 'default', name: 'leader' };

/** A candidate on this machine, for the one Lease that all of them share. */
export function createElection(
  { client, name: identity, clock, random }: SimulatedNode,
  timings: Partial<ElectionTimings> = {},
): LeaderElection {
  const logger = silentLogger;
  return createLeaseElection({ client, lease, identity, timings, clock, random, logger });
}

/** The Lease as it is. */
export function leaseOf(world: SimulatedWorld): Promise<Lease> {
  return world.client.of<Lease>(leaseType).get(lease);
}
