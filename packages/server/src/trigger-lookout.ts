/** Waits for the first Trigger: most of the time there is none, and then nothing is loaded. */
import { triggerType } from '@fnlet/api';
import { awaitFirstObject } from '@fnlet/apiserver';
import { errorMessage } from '@fnlet/base';
import { createClient } from '@fnlet/client';
import type { BrokerWays, Eventing, GatewayUrls } from '@fnlet/eventing';
import type { Gateway } from '@fnlet/gateway';
import type { ObjectKey } from '@fnlet/machinery';
import type { Log } from '@fnlet/store/log';
import { createEventPort } from './event-port.ts';
import { type House, runInBackground } from './house.ts';
import type { AgentOf } from './service-agents.ts';

/** What is known of Triggers, whether there are any or not. */
export interface TriggerWays {
  /** How many events wait for a Function; `undefined` while that is not known. */
  lagOf(key: ObjectKey): number | undefined;
  /** See {@link Eventing.lagOfTrigger}. */
  readonly lagOfTrigger: Eventing['lagOfTrigger'];
}

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
    readonly agentOf: AgentOf;
  },
): Promise<TriggerWays> {
  const { options, server, store, failed } = house;
  const { clock, random, logger } = options;
  // The house's own stack is closed to new parts once the start is over.
  const stack = house.stack.use(new AsyncDisposableStack());
  let isFound = false;
  let eventing: Eventing | undefined;
  const load = async (): Promise<void> => {
    const { createEventing } = await import('@fnlet/eventing');
    if (stack.disposed) return;
    const client = createClient(server.transport(), { fieldManager: 'fnlet', clock });
    const { gateway, gatewayUrls, openLog, brokers, agentOf } = parts;
    const { invoke } = gateway;
    const onLoad = (isBusy: boolean): void => house.heapLoad.tell('triggers', isBusy);
    const { tail } = house.eventTail;
    const { operators } = house;
    const port = createEventPort(agentOf);
    const delivery = { openLog, brokers, operators, invoke, port, tail, onLoad };
    const ways = { client, gateway, gatewayUrls, delivery };
    const running = createEventing({ ...ways, clock, random, logger });
    eventing = running;
    house.metrics.add(() => running.metrics());
    runInBackground({ ...house, stack }, 'triggers', (signal) => running.run(signal));
    house.deadLetters.begin(() => running.letters());
    house.eventTail.add((query, sinceMs) => running.history(query, sinceMs));
    await running.restored;
  };
  let restored: Promise<void> = Promise.resolve();
  const stop = awaitFirstObject(store, {
    types: [triggerType],
    matches: () => true,
    found() {
      isFound = true;
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
  return {
    lagOf: (key) => (eventing === undefined && !isFound ? 0 : eventing?.lagOf(key)),
    lagOfTrigger: (key) => eventing?.lagOfTrigger(key),
  };
}
