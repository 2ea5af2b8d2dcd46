/**
 * Objects of Kyma and Kubeless in a cluster, where somebody asked for it: their own controllers are
 * not there then, or two would act on the same objects.
 *
 * I1. What acts on objects of a kind begins when the API serves it.
 */
import { type Clock, isJsonObject, type Logger, type Random, sleep } from '@fnlet/base';
import type { Client, Transport } from '@fnlet/client';
import { type ForeignSystem, foreignSystems } from '../foreign-functions.ts';
import type { Loops } from './cluster-process.ts';
import { systemsLookMs } from './limits.ts';

export interface ClusterSystemsOptions {
  readonly client: Client;
  readonly isKyma: boolean;
  readonly isKubeless: boolean;
  /** Where messages come from, of triggers of Kubeless that do not say it. */
  readonly brokers: { readonly kafka: string; readonly nats: string };
  readonly loops: Loops;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** Groups of Kyma whose objects are done; those of KEDA it does itself in a cluster. */
const kymaGroups = [
  'serverless.kyma-project.io',
  'eventing.kyma-project.io',
  'gateway.kyma-project.io',
];

/** Begins to act on objects of the systems that are asked for. */
export function runClusterSystems(options: ClusterSystemsOptions): void {
  const { isKyma, isKubeless, loops } = options;
  for (const system of foreignSystems) {
    const isAsked = kymaGroups.includes(system.group)
      ? isKyma
      : system.group === 'kubeless.io' && isKubeless;
    if (!isAsked) continue;
    loops.run(`objects of ${system.name}`, (signal) => runSystem(system, options, signal));
  }
}

async function runSystem(
  system: ForeignSystem,
  { client, brokers, clock, random, logger }: ClusterSystemsOptions,
  signal: AbortSignal,
): Promise<void> {
  // I1
  while (!(await isServed(client.transport, system, signal))) {
    await sleep(clock, systemsLookMs, signal);
    if (signal.aborted) return;
  }
  logger.info(`Acting on objects of ${system.name}`);
  const loaded = await system.load({ client, brokers, clock, random, logger });
  await loaded.run(signal);
}

async function isServed(
  transport: Transport,
  { group, plurals }: ForeignSystem,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    const found = await read(transport, `/apis/${group}`, signal);
    const preferred = isJsonObject(found.preferredVersion) ? found.preferredVersion : {};
    const { groupVersion } = preferred;
    if (typeof groupVersion !== 'string') return false;
    const { resources } = await read(transport, `/apis/${groupVersion}`, signal);
    const served = Array.isArray(resources) ? resources.filter(isJsonObject) : [];
    return plurals.every((plural) => served.some(({ name }) => name === plural));
  } catch {
    // Whoever cannot be asked now is asked again.
    return false;
  }
}

async function read(
  transport: Transport,
  path: string,
  signal: AbortSignal,
): Promise<Readonly<Record<string, unknown>>> {
  const response = await transport.request({ method: 'GET', path, signal });
  const found = await response.json();
  return response.status === 200 && isJsonObject(found) ? found : {};
}
