import type { Random } from '@fnlet/base';

/** Gives out the cluster addresses and node ports of Services. */
export interface ServiceNumberSource {
  /** An address that no Service has; undefined when the network is full. */
  takeAddress(random: Random): string | undefined;
  /** A node port that no Service has, and none of `besides`; undefined when the range is full. */
  takeNodePort(random: Random, besides: ReadonlySet<number>): number | undefined;
  /** Whether a Service has this address. */
  hasAddress(address: string): boolean;
  /** Whether a Service has this node port. */
  hasNodePort(nodePort: number): boolean;
}
