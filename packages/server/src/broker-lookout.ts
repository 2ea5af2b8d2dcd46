/** Waits for the first Broker: most of the time there is none, and then nothing is loaded. */
import { brokerType } from '@fnlet/api';
import { awaitFirstObject } from '@fnlet/apiserver';
import { errorMessage } from '@fnlet/base';
import { createClient } from '@fnlet/client';
import type { BrokerWays } from '@fnlet/eventing';
import type { Gateway } from '@fnlet/gateway';
import type { Log } from '@fnlet/store/log';
import { clusterNames } from './cluster/names.ts';
import { type House, runInBackground } from './house.ts';
import { LateBrokers } from './late-brokers.ts';
import { serveKymaPublisher } from './serve-kyma-publisher.ts';

/** As those inside know it. */
const gatewayHost = `${clusterNames.gateway}.${clusterNames.namespace}.svc.cluster.local`;

/**
 * Begins to wait; what it starts stops with the house. Resolves once all Brokers that there are can
 * be reached by their names; with how Triggers reach them.
 */
export async function awaitBrokers(
  house: House,
  parts: { readonly gateway: Gateway; readonly openLog: () => Promise<Log> },
): Promise<BrokerWays> {
  const { options, server, store, failed } = house;
  const { clock, random, logger } = options;
  // The house's own stack is closed to new parts once the start is over.
  const stack = house.stack.use(new AsyncDisposableStack());
  const brokers = new LateBrokers();
  const load = async (): Promise<void> => {
    const { Brokers } = await import('@fnlet/eventing/brokers');
    if (stack.disposed) return;
    const client = createClient(server.transport(), { fieldManager: 'fnlet', clock });
    const { tail } = house.eventTail;
    const loaded = new Brokers({ client, gatewayHost, ...parts, tail, clock, random, logger });
    brokers.begin(loaded);
    house.metrics.add(() => loaded.metrics());
    house.eventTail.add((query, sinceMs) => loaded.history(query, sinceMs));
    runInBackground({ ...house, stack }, 'brokers', (signal) => loaded.run(signal));
    await loaded.restored;
  };
  serveKymaPublisher(parts.gateway, brokers);
  let restored: Promise<void> = Promise.resolve();
  const stop = awaitFirstObject(store, {
    types: [brokerType],
    matches: () => true,
    found() {
      restored = load();
      restored.catch((error: unknown) => {
        logger.error('Cannot start what runs Brokers', { error: errorMessage(error) });
        failed.reject(error);
      });
    },
  });
  stack.defer(stop);
  await Promise.race([restored, failed.promise]);
  return brokers;
}
