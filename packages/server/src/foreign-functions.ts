/**
 * Functions of other systems: their kinds are served from the start (see kinds.ts), and what runs
 * them is loaded when there is one.
 */
import { awaitFirstObject } from '@fnlet/apiserver';
import { errorMessage } from '@fnlet/base';
import { type Client, createClient } from '@fnlet/client';
import { type House, runInBackground } from './house.ts';

type Parts = Parameters<typeof import('@fnlet/functions/kubeless').createKubeless>[0];

/** A system whose functions run here. */
export interface ForeignSystem {
  readonly name: string;
  readonly group: string;
  /** The kinds whose first object makes it worth loading what runs them. */
  readonly plurals: readonly string[];
  load(parts: Parts): Promise<{ run(signal: AbortSignal): Promise<void> }>;
}

export const foreignSystems: readonly ForeignSystem[] = [
  {
    name: 'Kyma',
    group: 'serverless.kyma-project.io',
    plurals: ['functions'],
    async load(parts) {
      const { createKymaFunctions } = await import('@fnlet/functions/kyma');
      return createKymaFunctions(parts);
    },
  },
  {
    name: 'Kubeless',
    group: 'kubeless.io',
    plurals: [
      ...['functions', 'cronjobtriggers', 'httptriggers'],
      ...['kafkatriggers', 'natstriggers', 'kinesistriggers'],
    ],
    async load(parts) {
      const { createKubeless } = await import('@fnlet/functions/kubeless');
      return createKubeless(parts);
    },
  },
  module('eventing', { group: 'eventing.kyma-project.io', plurals: ['subscriptions'] }),
  module('gateway', { group: 'gateway.kyma-project.io', plurals: ['apirules'] }),
  module('scaling', { group: 'keda.sh', plurals: ['scaledobjects'] }),
];

type KymaModules = typeof import('@fnlet/functions/kyma-modules').kymaModules;

/** What stands around Kyma's Functions, each part for itself. */
function module(
  name: keyof KymaModules,
  kinds: Pick<ForeignSystem, 'group' | 'plurals'>,
): ForeignSystem {
  return {
    name: `Kyma's module ${name}`,
    ...kinds,
    async load(parts) {
      const { kymaModules } = await import('@fnlet/functions/kyma-modules');
      return kymaModules[name](parts);
    },
  };
}

/** Waits for the first object of each system. */
export function awaitForeignFunctions(house: House): void {
  const { options, server } = house;
  // The house's own stack is closed to new parts once the start is over.
  const stack = house.stack.use(new AsyncDisposableStack());
  const client = createClient(server.transport(), { fieldManager: 'fnlet', clock: options.clock });
  for (const system of foreignSystems) runFromFirst(system, { ...house, stack }, client);
}

/** Loads what runs its objects when there is the first of them. */
function runFromFirst(system: ForeignSystem, house: House, client: Client): void {
  const { options, store, failed, stack } = house;
  const { clock, config, random, logger } = options;
  const what = `objects of ${system.name}`;
  const run = async (): Promise<void> => {
    const brokers = { kafka: config.kubelessKafka, nats: config.kubelessNats };
    const loaded = await system.load({ client, brokers, clock, random, logger });
    if (!stack.disposed) runInBackground(house, what, (signal) => loaded.run(signal));
  };
  const stop = awaitFirstObject(store, {
    types: system.plurals.map((plural) => ({ group: system.group, plural })),
    matches: () => true,
    found: () =>
      void run().catch((error: unknown) => {
        logger.error(`Cannot start what runs ${what}`, { error: errorMessage(error) });
        failed.reject(error);
      }),
  });
  stack.defer(stop);
}
