import { toKubeMicroTime } from '@fnlet/machinery';
import { type Lease, leaseDurationMs, leaseType } from './lease.ts';

/** One who wants to lead. */
export interface Candidate {
  readonly identity: string;
  readonly leaseMs: number;
}

/** A Lease as a candidate knows it; `undefined` when there is none. */
export interface SeenLease {
  readonly lease: Lease | undefined;
  /** When this very version was first seen, on the candidate's own monotonic clock. */
  readonly sinceMs: number;
}

/**
 * - `claim`: nobody holds the Lease any more.
 * - `renew`: the candidate holds it, even if the answer to the write that took it never came.
 * - `wait`: somebody else may hold it.
 */
export type ElectionStep = 'claim' | 'renew' | 'wait';

/**
 * What a candidate may try now. Times that others wrote are never read: their clocks may be wrong.
 * What counts is how long a Lease has not changed, for which all clocks need only run at about the
 * same speed (client-go, tools/leaderelection).
 */
export function decideElection(
  { identity, leaseMs }: Candidate,
  { lease, sinceMs }: SeenLease,
  nowMs: number,
): ElectionStep {
  const holder = lease?.spec?.holderIdentity ?? '';
  if (lease === undefined || holder === '') return 'claim';
  if (holder === identity) return 'renew';
  return nowMs - sinceMs >= leaseDurationMs(lease, leaseMs) ? 'claim' : 'wait';
}

/** The first Lease of its name, held by the candidate. `now` is for those who read it. */
export function newLease(
  { identity, leaseMs }: Candidate,
  key: { readonly namespace: string; readonly name: string },
  now: number,
): Lease {
  const time = toKubeMicroTime(now);
  return {
    apiVersion: `${leaseType.group}/${leaseType.version}`,
    kind: leaseType.kind,
    metadata: { namespace: key.namespace, name: key.name },
    spec: {
      holderIdentity: identity,
      leaseDurationSeconds: leaseMs / 1000,
      acquireTime: time,
      renewTime: time,
      leaseTransitions: 0,
    },
  };
}

/** The Lease, held by the candidate from now on, or still. */
export function heldLease(candidate: Candidate, lease: Lease, now: number): Lease {
  const { spec = {}, metadata } = lease;
  const { namespace = '', name } = metadata;
  const fresh = newLease(candidate, { namespace, name }, now);
  const isHeld = spec.holderIdentity === candidate.identity;
  const { acquireTime = toKubeMicroTime(now), leaseTransitions = 0 } = spec;
  const term = isHeld
    ? { acquireTime, leaseTransitions }
    : { leaseTransitions: leaseTransitions + 1 };
  return { ...lease, spec: { ...spec, ...fresh.spec, ...term } };
}

/** The Lease, given back: whoever looks next may take it (client-go, ReleaseOnCancel). */
export function releasedLease(lease: Lease, now: number): Lease {
  const time = toKubeMicroTime(now);
  const free = { holderIdentity: '', leaseDurationSeconds: 1, acquireTime: time, renewTime: time };
  return { ...lease, spec: { ...lease.spec, ...free } };
}
