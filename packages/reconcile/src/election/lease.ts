import type { KubeObject, ResourceType } from '@fnlet/machinery';

/** Who holds something, and for how long (coordination.k8s.io/v1). */
export interface Lease extends KubeObject {
  readonly spec?: LeaseSpec;
}

export interface LeaseSpec {
  /** Empty when the last holder gave it back. */
  readonly holderIdentity?: string;
  /** How long after its last change others must leave it alone. */
  readonly leaseDurationSeconds?: number;
  readonly acquireTime?: string;
  readonly renewTime?: string;
  readonly leaseTransitions?: number;
}

export const leaseType: ResourceType = {
  group: 'coordination.k8s.io',
  version: 'v1',
  kind: 'Lease',
  plural: 'leases',
  namespaced: true,
};

/** How long others must leave this Lease alone after it has changed, in milliseconds. */
export function leaseDurationMs(lease: Lease, defaultMs: number): number {
  const seconds = lease.spec?.leaseDurationSeconds;
  return typeof seconds === 'number' && seconds > 0 ? seconds * 1000 : defaultMs;
}
