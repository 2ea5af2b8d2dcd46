import type { FindService } from '@fnlet/executor';
import { type AgentOf, createServiceAgents } from './service-agents.ts';
import { createServicePlaces, type ServicePlacesOptions } from './service-places.ts';

/** How Fnlet itself reaches Services by their names. */
export interface ServiceWays {
  readonly find: FindService;
  readonly agentOf: AgentOf;
}

export function createServiceWays(options: ServicePlacesOptions): ServiceWays {
  const find = createServicePlaces(options);
  return { find, agentOf: createServiceAgents(find) };
}
