/**
 * Runs operators in this process: brings their kinds into the API, takes part in the election or
 * the sharding if there are other replicas, serves health and metrics, and stops it all in order.
 */
import { type Clock, hasCode, type Logger, type Random } from '@fnlet/base';
import { type Client, createClient, installCrds, type Transport } from '@fnlet/client';
import {
  createEventRecorder,
  createHealthPages,
  createLeaseElection,
  createManager,
  createOperatorController,
  createOperatorMetrics,
  createShardedKeys,
  type LeaderElection,
  type Manager,
  type ShardedKeys,
  syncedCheck,
} from '@fnlet/reconcile';
import { type Operator, requiredDefinitions } from '@fnlet/sdk/operator';
import { listenForHealth } from './health-listener.ts';

/** How several processes that run the same operators get on with each other. */
export type Replicas = 'one' | 'leader' | 'shards';

export interface RunOperatorsOptions {
  readonly operators: readonly Operator[];
  readonly transport: Transport;
  /** The Leases of the replicas are named after it. */
  readonly name: string;
  /** The namespace of the Leases. */
  readonly namespace: string;
  /** Names this process among the replicas, and no other one ever. */
  readonly identity: string;
  readonly replicas: Replicas;
  /** Whether to bring the definitions of the operators' kinds into the API first. */
  readonly install: boolean;
  readonly freeze: boolean;
  /** Where `/healthz`, `/readyz` and `/metrics` are served; 0 takes a free port. Default: nowhere. */
  readonly healthPort?: number | undefined;
  /** Adds what else the manager shall run, such as imperative controllers. */
  readonly setup?: ((manager: Manager) => void | Promise<void>) | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** Runs operators until `signal` aborts and their last runs have ended. */
export async function runOperators(
  options: RunOperatorsOptions,
  signal: AbortSignal,
): Promise<void> {
  const { operators, name, freeze, clock, random, logger } = options;
  const shared = { clock, random, logger };
  const hasElection = options.replicas === 'leader';
  const metrics = createOperatorMetrics({
    caches: () => manager.caches,
    ...(hasElection ? { election: { name, isLeader: () => manager.isLeader } } : {}),
  });
  const client = createClient(metrics.countWrites(options.transport), {
    fieldManager: name,
    clock,
  });
  if (options.install) await installKinds(client, options);
  const ownership = shardsOf(client, options);
  const election = electionOf(client, options);
  const manager = createManager({ client, election, ownership, metrics, freeze, ...shared });
  if (ownership !== undefined) {
    manager.addService({ name: 'sharding', run: (stop) => ownership.run(stop) });
  }
  for (const operator of operators) {
    const events = createEventRecorder({ client, component: operator.name, ...shared });
    manager.addService(events);
    manager.addController(
      createOperatorController({ operator, manager, events, ownership, metrics, ...shared }),
    );
  }
  await options.setup?.(manager);
  await using _health = await serveHealth(options, { manager, metrics: () => metrics.text() });
  logger.info('Running', { operators: operators.map((operator) => operator.name).join() || name });
  await manager.run(signal);
}

async function installKinds(
  client: Client,
  { operators, clock, logger }: RunOperatorsOptions,
): Promise<void> {
  const definitions = requiredDefinitions(operators).map((crd) => ({ ...crd }));
  try {
    await installCrds(client, definitions, clock);
  } catch (error) {
    // An operator's own account may not define kinds: then an administrator has.
    if (!hasCode(error, 'Forbidden')) throw error;
    logger.info('This account may not define kinds; they are taken to be there', {
      kinds: definitions.map(({ metadata }) => metadata.name).join(),
    });
  }
}

function electionOf(client: Client, options: RunOperatorsOptions): LeaderElection | undefined {
  const { replicas, namespace, name, identity, clock, random, logger } = options;
  if (replicas !== 'leader') return undefined;
  const lease = { namespace, name };
  return createLeaseElection({ client, lease, identity, clock, random, logger });
}

function shardsOf(client: Client, options: RunOperatorsOptions): ShardedKeys | undefined {
  const { replicas, namespace, name, identity, clock, random, logger } = options;
  if (replicas !== 'shards') return undefined;
  // Not the Lease of an election: whoever changes from one to the other finds that one there.
  const group = { namespace, name: `${name}-shards` };
  return createShardedKeys({ client, group, replica: identity, clock, random, logger });
}

async function serveHealth(
  { healthPort, clock, logger }: RunOperatorsOptions,
  { manager, metrics }: { readonly manager: Manager; readonly metrics: () => string },
): Promise<AsyncDisposable | undefined> {
  if (healthPort === undefined) return undefined;
  const synced = Promise.all(manager.caches.map((cache) => cache.synced)).then(() => undefined);
  const readyz = [syncedCheck('caches', synced)];
  const pages = createHealthPages({ readyz, metrics, clock, logger });
  const listener = await listenForHealth({ pages, port: healthPort, logger });
  logger.info('Serving /healthz, /readyz and /metrics', { port: listener.port });
  return listener;
}
