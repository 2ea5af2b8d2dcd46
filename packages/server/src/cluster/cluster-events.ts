/**
 * What acts on events in a cluster, in the replica of the controller that leads.
 *
 * I1. Whoever leads next goes on where this one was, with the same log.
 */
import { join } from 'node:path';
import type { MetricFamily } from '@fnlet/base';
import type { Client } from '@fnlet/client';
import { formatObjectKey, type ObjectKey } from '@fnlet/machinery';
import { createUploads } from '../create-uploads.ts';
import { LateDeadLetters } from '../late-dead-letters.ts';
import { LateEventTail } from '../late-event-tail.ts';
import { serveKymaPublisher } from '../serve-kyma-publisher.ts';
import type { AggregatedGroup } from './aggregation/aggregated-group.ts';
import { ClusterBrokers } from './cluster-brokers.ts';
import { noClusterCalls, takeClusterCalls } from './cluster-calls.ts';
import { createClusterLog, inspectClusterLog } from './cluster-log.ts';
import { awaitClusterOperators } from './cluster-operators.ts';
import type { ClusterProcessOptions, Loops } from './cluster-process.ts';
import { runClusterSystems } from './cluster-systems.ts';
import { ClusterTriggers } from './cluster-triggers.ts';
import type { FleetFront } from './fleet-front.ts';
import type { FleetRoutes } from './fleet-routes.ts';
import { clusterNames, recordsVersion } from './names.ts';
import { noClusterUploads } from './no-cluster-uploads.ts';
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
  /** The Node that it runs on; `undefined`: nobody knows. */
  readonly node: string | undefined;
}

export interface ClusterEvents {
  /** Resolves once all routes are known. */
  readonly restored: Promise<void>;
  /** How many events wait for a Function; `undefined` while that is not known. */
  readonly lagOf: (key: ObjectKey) => number | undefined;
  readonly lagOfTrigger: ClusterTriggers['lagOfTrigger'];
  readonly metrics: () => readonly MetricFamily[];
  /** Show what was done with events, calls and Operators to those who may see it. */
  readonly groups: readonly AggregatedGroup[];
}

/**
 * Begins to act.
 *
 * @throws FnletError `InvalidConfig`
 */
export function createClusterEvents(
  { config, clock, random, logger }: ClusterProcessOptions<ControllerConfig>,
  { client, front, routes, loops, kept, replica, node }: ClusterEventsParts,
): ClusterEvents {
  const { dataDirectory, eventsLog, gatewayUrl, callbackHosts, systemNamespace } = config;
  const openLog = createClusterLog({ dataDirectory, eventsLog, stack: kept, clock, logger });
  const own = openOwnGateway({ front, replica, node, clock, random, logger });
  loops.run('own Gateway', (signal) => own.run(signal));
  const { invoke } = own;
  const operators = awaitClusterOperators({
    ...{ client, invoke, loops, systemNamespace, clock, random, logger },
  });
  const eventTail = new LateEventTail();
  const letters = new LateDeadLetters(clock, eventTail, {
    findEndpoint: (trigger) => routes.responderAt({ kind: 'route', id: formatObjectKey(trigger) }),
    inspect: () => inspectClusterLog(eventsLog),
  });
  const brokers = new ClusterBrokers({
    ...{ client, routes, openLog, eventTail, loops, clock, random, logger },
    gatewayHost: `${clusterNames.gatewayInside}.${systemNamespace}.svc.cluster.local`,
  });
  if (config.kyma) serveKymaPublisher(routes, brokers.ways);
  runClusterSystems({
    ...{ client, loops, isKyma: config.kyma, isKubeless: config.kubeless, clock, random, logger },
    brokers: { kafka: config.kubelessKafka, nats: config.kubelessNats },
  });
  const calls = config.asyncCalls
    ? takeClusterCalls({
        ...{ routes, invoke, dataDirectory, callbackHosts, gatewayUrl, loops, kept },
        ...{ clock, random, logger },
      })
    : noClusterCalls;
  const uploads = config.asyncCalls
    ? createUploads(join(dataDirectory, 'uploads'), clock)
    : noClusterUploads;
  const triggers = new ClusterTriggers({
    ...{ client, routes, invoke, openLog, gatewayUrl, loops, clock, random, logger },
    ...{ brokers: brokers.ways, operators, letters, eventTail },
  });
  return {
    restored: Promise.all([brokers.begin(), triggers.begin()]).then(() => {}),
    lagOf(key) {
      const [events, waiting] = [triggers.lagOf(key), calls.lagOf(key)];
      return events === undefined || waiting === undefined ? undefined : events + waiting;
    },
    lagOfTrigger: (key) => triggers.lagOfTrigger(key),
    metrics: () => [...triggers.metrics(), ...brokers.metrics(), ...calls.metrics()],
    groups: [uploads, calls.api, letters.api, operators.api].map((extension) => ({
      extension,
      versions: [recordsVersion],
    })),
  };
}
