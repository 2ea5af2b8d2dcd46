/**
 * The process that is killed: an API on the store in a directory, and six clients in it that create,
 * change and delete without a pause. Prints `<name> <version or "gone">` for what was acknowledged.
 */
import { writeSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { silentLogger, systemClock, systemRandom } from '@fnlet/base';
import { openLmdbStore } from '@fnlet/store';
import { createApiServer } from '../src/index.ts';

// It does not live to its end, when Node would write down what it has compiled.
flushCompileCache();
const [directory = '', round = ''] = process.argv.slice(2);
const store = await openLmdbStore({ directory, historyMin: 200 });
const parts = { clock: systemClock, random: systemRandom, logger: silentLogger };
const server = createApiServer({ store, ...parts });
await server.start();
const transport = server.transport();
const maps = '/api/v1/namespaces/default/configmaps';

// Told before anything else is done: while its reader is busy, `process.stdout` only queues, and
// what is queued dies with the process.
function tell(name: string, outcome: string): void {
  writeSync(1, `${name} ${outcome}\n`);
}

async function write(client: number): Promise<never> {
  for (let n = 0; ; n++) {
    const name = `r${round}-c${client}-${n}`;
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { step: '0' } };
    await transport.request({ method: 'POST', path: maps, body });
    tell(name, '0');
    const contentType = 'application/merge-patch+json';
    const path = `${maps}/${name}`;
    const patch = { data: { step: '1' } };
    await transport.request({ method: 'PATCH', path, body: patch, contentType });
    tell(name, '1');
    if (n % 3 !== 0) continue;
    await transport.request({ method: 'DELETE', path });
    tell(name, 'gone');
  }
}

for (let client = 0; client < 6; client++) void write(client);
