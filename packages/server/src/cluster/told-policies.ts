import type { RoutePolicies } from '@fnlet/gateway/policies';
import { ToldPolicy } from './policy-terms.ts';

/** Makes policies that are kept by Gateways in other processes, and counted there. */
export function createToldPolicies(): Pick<RoutePolicies, 'make' | 'forget' | 'metrics'> {
  return {
    make: (_, settings) => new ToldPolicy(settings),
    forget: () => {},
    metrics: () => [],
  };
}
