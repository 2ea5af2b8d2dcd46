/**
 * Runs operators in this process: brings their kinds into the API, takes part in the election or
 * the sharding if there are other replicas, serves health and metrics, and stops it all in order.
 */
import { type Clock, hasCode, type Logger, type Random } from '@fnlet/base';
import { type Client, createClient, installCrds, type Transport } from '@fnlet/client';
import type { ResourceType } from '@fnlet/machinery';
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
  OperatorWebhooks,
  type ShardedKeys,
  syncedCheck,
  type WebhookEndpoint,
} from '@fnlet/reconcile';
import { type Operator, requiredDefinitions } from '@fnlet/sdk/operator';
import { listenForHealth } from '@fnlet/server/health-listener';
import { startWebhooks } from './webhook-server.ts';
import type { WebhookTerms } from './webhook-terms.ts';

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
  /** Where webhooks are served; asked for when the operators have some. */
  readonly webhookTerms: () => WebhookTerms;
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
  try {
    await runUntilStopped(options, signal);
  } catch (error) {
    // Told to stop while it began: that is no failure.
    if (!signal.aborted || !hasCode(error, 'Aborted')) throw error;
  }
}

async function runUntilStopped(options: RunOperatorsOptions, signal: AbortSignal): Promise<void> {
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
  const webhooks = new OperatorWebhooks(operators);
  await using server = webhooks.isEmpty
    ? undefined
    : await startWebhooks({ ...options, webhooks, client, terms: options.webhookTerms() }, signal);
  if (options.install) {
    await install(client, { ...options, webhooks, endpoint: server?.endpoint }, signal);
  }
  await server?.keeper.look(signal);
  const ownership = shardsOf(client, options);
  const election = electionOf(client, options);
  const manager = createManager({ client, election, ownership, metrics, freeze, ...shared });
  if (ownership !== undefined) {
    manager.addService({ name: 'sharding', run: (stop) => ownership.run(stop) });
  }
  if (server !== undefined) manager.addService(server.keeper);
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

/** Brings into the API what the operators need there: definitions, and who is asked about writes. */
async function install(
  client: Client,
  options: RunOperatorsOptions & {
    readonly webhooks: OperatorWebhooks;
    readonly endpoint: WebhookEndpoint | undefined;
  },
  signal: AbortSignal,
): Promise<void> {
  const { operators, webhooks, endpoint, name, clock, logger } = options;
  const plain = requiredDefinitions(operators);
  const definitions = endpoint === undefined ? plain : webhooks.withConversions(plain, endpoint);
  const kinds = { task: 'define kinds', names: plain.map(({ metadata }) => metadata.name) };
  const manifests = definitions.map((crd) => ({ ...crd }));
  await asAllowed(logger, kinds, () => installCrds(client, manifests, { clock, signal }));
  if (endpoint === undefined) return;
  await asAllowed(logger, { task: 'register webhooks', names: [name] }, async () => {
    for (const object of webhooks.register(name, endpoint).configurations) {
      await client.of(configurationType(object.kind)).apply(object, { force: true, signal });
    }
  });
}

/** An operator's own account may not do everything: then an administrator has done it. */
async function asAllowed(
  logger: Logger,
  { task, names }: { readonly task: string; readonly names: readonly string[] },
  act: () => Promise<void>,
): Promise<void> {
  try {
    await act();
  } catch (error) {
    if (!hasCode(error, 'Forbidden')) throw error;
    const text = `This account may not ${task}; they are taken to be there`;
    logger.info(text, { names: names.join() });
  }
}

function configurationType(kind: string): ResourceType {
  const plural = `${kind.toLowerCase()}s`;
  return { group: 'admissionregistration.k8s.io', version: 'v1', kind, plural, namespaced: false };
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
