/** Waits for the first Trigger: most of the time there is none, and then nothing is loaded. */
import { triggerType } from '@fnlet/api';
import { awaitFirstObject } from '@fnlet/apiserver';
import { errorMessage } from '@fnlet/base';
import { createClient } from '@fnlet/client';
import type { BrokerWays, GatewayUrls } from '@fnlet/eventing';
import type { Gateway } from '@fnlet/gateway';
import type { Log } from '@fnlet/store/log';
import { createEventPort } from './event-port.ts';
import { type House, runInBackground } from './house.ts';

/**
 * Begins to wait; what it starts stops with the house. Resolves once the routes of all Triggers
 * that there are stand: a Gateway that listens after that does not answer 404 for what was
 * published.
 *
 * @param parts.gatewayUrls where the Gateway is reached, once it listens
 * @param parts.openLog opens the log of events, when a Trigger needs it
 */
export async function awaitTriggers(
  house: House,
  parts: {
    readonly gateway: Gateway;
    readonly gatewayUrls: Promise<GatewayUrls>;
    readonly openLog: () => Promise<Log>;
    readonly brokers: BrokerWays;
  },
): Promise<void> {
  const { options, server, store, failed } = house;
  const { clock, random, logger } = options;
  // The house's own stack is closed to new parts once the start is over.
  const stack = house.stack.use(new AsyncDisposableStack());
  const load = async (): Promise<void> => {
    const { createEventing } = await import('@fnlet/eventing');
    if (stack.disposed) return;
    const client = createClient(server.transport(), { fieldManager: 'fnlet', clock });
    const { gateway, gatewayUrls, openLog, brokers } = parts;
    const { invoke } = gateway;
    const delivery = { openLog, brokers, invoke, port: createEventPort() };
    const ways = { client, gateway, gatewayUrls, delivery };
    const eventing = createEventing({ ...ways, clock, random, logger });
    house.metrics.add(() => eventing.metrics());
    runInBackground({ ...house, stack }, 'triggers', (signal) => eventing.run(signal));
    house.deadLetters.begin(() => eventing.letters());
    await eventing.restored;
  };
  let restored: Promise<void> = Promise.resolve();
  const stop = awaitFirstObject(store, {
    types: [triggerType],
    matches: () => true,
    found() {
      restored = load();
      restored.catch((error: unknown) => {
        logger.error('Cannot start what runs Triggers', { error: errorMessage(error) });
        failed.reject(error);
      });
    },
  });
  stack.defer(stop);
  await Promise.race([restored, failed.promise]);
  house.deadLetters.start();
}
