/**
 * What acts on events in a cluster, in the replica of the controller that leads.
 *
 * I1. Whoever leads next goes on where this one was, with the same log.
 */
import type { MetricFamily } from '@fnlet/base';
import type { Client } from '@fnlet/client';
import type { ObjectKey } from '@fnlet/machinery';
import { LateBrokers } from '../late-brokers.ts';
import { createClusterLog } from './cluster-log.ts';
import { awaitClusterOperators } from './cluster-operators.ts';
import type { ClusterProcessOptions, Loops } from './cluster-process.ts';
import { ClusterTriggers } from './cluster-triggers.ts';
import type { FleetFront } from './fleet-front.ts';
import type { FleetRoutes } from './fleet-routes.ts';
import { openOwnGateway } from './own-gateway.ts';
import type { ControllerConfig } from './settings.ts';

export interface ClusterEventsParts {
  readonly client: Client;
  readonly front: Pick<FleetFront, 'admit'>;
  readonly routes: FleetRoutes;
  readonly loops: Loops;
  /** Closed after the loops have ended. */
  readonly kept: AsyncDisposableStack;
  /** Name of this replica. */
  readonly replica: string;
}

export interface ClusterEvents {
  /** Resolves once all routes are known. */
  readonly restored: Promise<void>;
  /** How many events wait for a Function; `undefined` while that is not known. */
  readonly lagOf: (key: ObjectKey) => number | undefined;
  readonly metrics: () => readonly MetricFamily[];
}

/**
 * Begins to act.
 *
 * @throws FnletError `InvalidConfig`
 */
export function createClusterEvents(
  { config, clock, random, logger }: ClusterProcessOptions<ControllerConfig>,
  { client, front, routes, loops, kept, replica }: ClusterEventsParts,
): ClusterEvents {
  const { dataDirectory, eventsLog, gatewayUrl, systemNamespace } = config;
  const openLog = createClusterLog({ dataDirectory, eventsLog, stack: kept, clock, logger });
  const own = openOwnGateway({ front, replica, clock, random, logger });
  loops.run('own Gateway', (signal) => own.run(signal));
  const { invoke } = own;
  const operators = awaitClusterOperators({
    ...{ client, invoke, loops, systemNamespace, clock, random, logger },
  });
  const triggers = new ClusterTriggers({
    ...{ client, routes, invoke, openLog, gatewayUrl, loops, clock, random, logger },
    ...{ brokers: new LateBrokers(), operators },
  });
  return {
    restored: triggers.begin(),
    lagOf: (key) => triggers.lagOf(key),
    metrics: () => triggers.metrics(),
  };
}
