import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { type Clock, type Random, systemClock, systemRandom } from '@fnlet/base';
import { createHttpTransport } from '@fnlet/client';
import type { Manager } from '@fnlet/reconcile';
import type { Operator } from '@fnlet/sdk/operator';
import { createConsoleLogger } from '@fnlet/server/console-logger';
import { preferSmallHeap } from '@fnlet/server/small-heap';
import type { CliContext } from '../cli-context.ts';
import { CliError } from '../cli-error.ts';
import { exitCodes } from '../exit-codes.ts';
import { findKubeconfig } from '../find-kubeconfig.ts';
import { keepAlive } from '../keep-alive.ts';
import { listenForStop } from '../stop-signals.ts';
import { runOperators } from './run-operators.ts';
import { decideWebhookTerms, type WebhookOptions } from './webhook-terms.ts';

/** How operators are run in a process of their own; see `run`. */
export interface RunOptions {
  /** For Leases. Default: that of the first operator. */
  readonly name?: string | undefined;
  /** Default: as kubectl finds it, `./.fnlet/kubeconfig`, or in a Pod its ServiceAccount. */
  readonly kubeconfig?: string | undefined;
  /** Default: the current one of the kubeconfig. */
  readonly context?: string | undefined;
  /** Of several replicas only the one that holds the Lease acts. Default false. */
  readonly leaderElection?: boolean | undefined;
  /** Several replicas share the objects among each other. Default false. */
  readonly shards?: boolean | undefined;
  /** Where the Leases are. Default: the namespace of the context, or of the Pod. */
  readonly namespace?: string | undefined;
  /** Serves `/healthz`, `/readyz` and `/metrics` there; 0 takes a free port. Default: nowhere. */
  readonly healthPort?: number | undefined;
  /**
   * Where webhooks are served, if the operators have any, and how the API reaches them. Default: on
   * this machine, if the API is on it, too.
   */
  readonly webhooks?: WebhookOptions | undefined;
  /**
   * Whether the definitions of the operators' kinds, and the configurations of their webhooks, are
   * applied first. Default true.
   */
  readonly install?: boolean | undefined;
  /** Adds what else the manager shall run: imperative controllers, services, caches. */
  readonly setup?: ((manager: Manager) => void | Promise<void>) | undefined;
  /** How much is said on standard error. Default `info`. */
  readonly logLevel?: 'debug' | 'info' | 'warn' | 'error' | undefined;
}

/**
 * Runs operators in this process, until Ctrl-C or SIGTERM: then the runs in progress may end, for
 * 20 seconds, unless a second signal comes. With `NODE_ENV=production` cached objects are not
 * frozen. Node's heap is kept small, which needs no flags then.
 *
 * @example
 * if (import.meta.main) await run(sites);
 *
 * @throws CliError for a kubeconfig that leads nowhere; TransportError, StatusError when the API
 *   cannot be reached at the start, or refuses
 */
export async function run(
  operators: Operator | readonly Operator[],
  options: RunOptions = {},
): Promise<void> {
  preferSmallHeap();
  using stop = listenForStop();
  using _busy = keepAlive();
  await runByKubeconfig(operators, options, {
    env: process.env,
    workingDirectory: resolve('.'),
    stderr: process.stderr,
    signal: stop.signal,
    clock: systemClock,
    random: systemRandom,
  });
}

interface RunContext extends Pick<CliContext, 'env' | 'workingDirectory' | 'stderr' | 'signal'> {
  readonly clock: Clock;
  readonly random: Random;
}

/** Runs operators against the API that a kubeconfig leads to, until the context's signal aborts. */
export async function runByKubeconfig(
  operators: Operator | readonly Operator[],
  options: RunOptions,
  context: RunContext,
): Promise<void> {
  const { leaderElection = false, shards = false, logLevel = 'info', install = true } = options;
  const all: readonly Operator[] = 'reconcile' in operators ? [operators] : operators;
  if (leaderElection && shards) {
    throw new CliError(exitCodes.usage, 'Cannot elect a leader and share by shards: choose one');
  }
  const { env, stderr, clock, random, signal } = context;
  const kubeconfig = await findKubeconfig(options, context);
  const logger = createConsoleLogger({
    level: logLevel,
    clock,
    write: (line) => void stderr.write(line),
  });
  await using transport = createHttpTransport(kubeconfig);
  logger.info('Connecting', { context: kubeconfig.contextName, server: kubeconfig.server });
  const { name = all[0]?.name ?? 'operator', namespace = kubeconfig.namespace } = options;
  const { healthPort, setup, webhooks = {} } = options;
  await runOperators(
    {
      operators: all,
      transport,
      ...{ name, namespace, install, healthPort, setup },
      webhookTerms: () => decideWebhookTerms(webhooks, { server: kubeconfig.server, namespace }),
      identity: `${hostname().toLowerCase()}-${random.uuid().slice(0, 8)}`,
      replicas: leaderElection ? 'leader' : shards ? 'shards' : 'one',
      freeze: env.NODE_ENV !== 'production',
      ...{ clock, random, logger },
    },
    signal,
  );
}
