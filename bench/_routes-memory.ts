/** What 10 000 routes cost in the heap, from their Triggers on; to be run with `--expose-gc`. */
import { functionCrd, functionType, triggerCrd, triggerType } from '@fnlet/api';
import { createApiServer } from '@fnlet/apiserver';
import { systemClock as clock, seededRandom, silentLogger } from '@fnlet/base';
import { createClient, installCrds } from '@fnlet/client';
import { createEventing, type GatewayUrls } from '@fnlet/eventing';
import { createGateway } from '@fnlet/gateway';
import { openMemoryStore } from '@fnlet/store';
import { openMemoryLog } from '@fnlet/store/log';
import { benchHost, benchRoute, routesCount } from './_routes.ts';

const parallel = 50;
const parts = { clock, random: seededRandom(1), logger: silentLogger };

function heapMB(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed / 1e6;
}

const api = createApiServer({ store: openMemoryStore(), ...parts });
await api.start();
const client = createClient(api.transport(), { fieldManager: 'bench', clock });
await installCrds(client, [functionCrd, triggerCrd], { clock });

async function create(index: number): Promise<void> {
  const name = `f${index}`;
  const object = { apiVersion: 'fnlet.dev/v1alpha1', metadata: { name, namespace: 'default' } };
  const spec = { runtime: 'nodejs24', source: { inline: 'export default () => 1;' } };
  await client.of(functionType).create(Object({ ...object, kind: 'Function', spec }));
  const http = { hosts: [benchHost(index)], paths: [{ pattern: `/api/${name}/{id}` }] };
  const trigger = { source: { http }, target: { function: name } };
  await client.of(triggerType).create(Object({ ...object, kind: 'Trigger', spec: trigger }));
}

for (let from = 0; from < routesCount; from += parallel) {
  await Promise.all(Array.from({ length: parallel }, (_, index) => create(from + index)));
}
const gateway = createGateway({ ...parts, onDemand: () => {} });
// It never listens: what is measured is what a start restores.
const gatewayUrls = new Promise<GatewayUrls>(() => {});
const beforeMB = heapMB();
gateway.setRoutes(Array.from({ length: routesCount }, (_, index) => benchRoute(index)));
const functionsMB = heapMB() - beforeMB;
// There are no Triggers that deliver events.
const delivery = {
  openLog: async () => openMemoryLog(),
  invoke: gateway.invoke,
  port: { post: () => Promise.reject(new Error('There is no way out')) },
  brokers: {
    find: () => undefined,
    acceptEverywhere: () => Promise.resolve(),
    accept: () => Promise.reject(new Error('There is no Broker')),
    subscribe: () => () => {},
  },
};
const eventing = createEventing({ client, gateway, gatewayUrls, delivery, ...parts });
const abort = new AbortController();
const startCpu = process.cpuUsage();
const running = eventing.run(abort.signal);
await eventing.restored;
const { user, system } = process.cpuUsage(startCpu);
const routesMB = heapMB() - beforeMB - functionsMB;
process.stdout.write(
  JSON.stringify({ functionsMB, routesMB, restoreCpuMs: (user + system) / 1000 }),
);
abort.abort();
await running;
await api.close();
