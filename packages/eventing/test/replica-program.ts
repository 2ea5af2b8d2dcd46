/**
 * A program for the test of replicas in processes of their own: runs Triggers of the cluster whose
 * kubeconfig its first argument names, on a log in the NATS server of the second, as the replica of
 * the third, and prints a line for each try to deliver an event, before the answer. Ends on SIGTERM,
 * having given away what it runs.
 */
import { writeSync } from 'node:fs';
import { argv } from 'node:process';
import { silentLogger, systemClock, systemRandom } from '@fnlet/base';
import { createClient, createHttpTransport, loadKubeconfig } from '@fnlet/client';
import { createShardedKeys } from '@fnlet/reconcile';
import { openJetStreamLog } from '@fnlet/store/log';
import { createEventing } from '../src/index.ts';

const [kubeconfig = '', nats = '', replica = ''] = argv.slice(2);
const parts = { clock: systemClock, random: systemRandom, logger: silentLogger };
const transport = createHttpTransport(await loadKubeconfig({ file: kubeconfig, env: {} }));
const client = createClient(transport, { fieldManager: 'fnlet', clock: systemClock });
const log = await openJetStreamLog({ servers: [nats], name: 'shared' });
const group = { namespace: 'default', name: 'triggers' };
const ownership = createShardedKeys({ ...parts, client, replica, group });
const eventing = createEventing({
  ...{ ...parts, client },
  gateway: {
    setHttpRoutes: () => {},
    setHttpRoute: () => {},
    removeHttpRoute: () => {},
    setCertificates: () => {},
    setEventSinks: () => {},
  },
  gatewayUrls: Promise.resolve({ http: 'http://127.0.0.1:8080' }),
  delivery: {
    openLog: async () => log,
    async invoke({ headers }) {
      const { 'ce-id': id, 'ce-source': trigger, 'ce-time': time } = Object.fromEntries(headers);
      writeSync(1, `${JSON.stringify({ id, trigger, time })}\n`);
      return {
        ...{ kind: 'answered', status: 200, headers: [], body: new Uint8Array() },
        truncated: false,
      };
    },
    port: { post: () => Promise.reject(new Error('There is no way out')) },
    brokers: {
      find: () => undefined,
      subscribe: () => () => {},
      accept: () => Promise.reject(new Error('There is no Broker')),
      acceptEverywhere: () => Promise.reject(new Error('There is no Broker')),
    },
    ownership,
  },
});
const leaving = new AbortController();
process.on('SIGTERM', () => leaving.abort());
// Timers of the clock do not keep a process alive.
const busy = setInterval(() => {}, 60_000);
const ended = new AbortController();
const running = eventing.run(ended.signal);
await ownership.run(leaving.signal);
ended.abort();
await running;
await log.close();
await transport.close();
clearInterval(busy);
