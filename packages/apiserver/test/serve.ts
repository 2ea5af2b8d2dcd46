import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger, systemClock, systemRandom } from '@fnlet/base';
import { formatKubeconfig } from '@fnlet/client';
import { openMemoryStore } from '@fnlet/store';
import { adminUser, createApiServer, listenHttps, loadCertificates } from '../src/index.ts';

// For trials by hand: serves an empty API until Ctrl-C and prints how kubectl reaches it.
const directory = await mkdtemp(join(tmpdir(), 'fnlet-api-'));
const clock = systemClock;
const logger = { ...silentLogger, error: (text: string) => void process.stderr.write(`${text}\n`) };
const tls = await loadCertificates({ directory, clock });
const store = openMemoryStore();
const token = systemRandom.uuid();
const tokens = [{ token, user: adminUser }];
const { caPem } = tls;
const server = createApiServer({ store, clock, random: systemRandom, logger, tokens, caPem });
await server.start();
const front = await listenHttps(server, { host: '127.0.0.1', port: 0, tls, clock });
const kubeconfig = join(directory, 'kubeconfig');
const text = formatKubeconfig({ name: 'fnlet', server: front.url, caPem, token });
await writeFile(kubeconfig, text, { mode: 0o600 });
process.stdout.write(`export KUBECONFIG=${kubeconfig}\n`);
process.once('SIGINT', async () => {
  await front.close();
  await server.close();
  await store.close();
  await rm(directory, { recursive: true });
});
