/**
 * The measured process: `api <directory>` serves the embedded API on an LMDB store, `echo
 * <directory>` a bare HTTPS server that reads a body and answers with it. Prints how to reach it.
 */
import { createServer } from 'node:https';
import { flushCompileCache } from 'node:module';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { adminUser, createApiServer, listenHttps, loadCertificates } from '@fnlet/apiserver';
import { silentLogger, systemClock, systemRandom } from '@fnlet/base';
import { openLmdbStore } from '@fnlet/store';

const [mode = 'api', directory = '.'] = process.argv.slice(2);
const clock = systemClock;
const tls = await loadCertificates({ directory, clock });
const token = 'bench';

function print(port: number): void {
  const ready = { port, token, caPem: tls.caPem, startMs: performance.now() };
  process.stdout.write(`${JSON.stringify(ready)}\n`);
}

if (mode === 'echo') {
  const server = createServer({ key: tls.keyPem, cert: tls.certPem }, async (request, response) => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const bytes = Buffer.concat(chunks);
    response.writeHead(200, { 'content-length': bytes.byteLength }).end(bytes);
  });
  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    if (typeof address === 'object' && address !== null) print(address.port);
  });
} else {
  const store = await openLmdbStore({ directory: join(directory, 'store') });
  const tokens = [{ token, user: adminUser }];
  const parts = { store, clock, random: systemRandom, logger: silentLogger, tokens };
  const server = createApiServer({ ...parts, caPem: tls.caPem });
  await server.start();
  // As `fnlet up` does when its start is over, but while watches get many events.
  const preferSmallHeap = (): void => setFlagsFromString('--optimize-for-size');
  const preferThroughput = (): void => setFlagsFromString('--no-optimize-for-size');
  const onLoad = (isBusy: boolean): void => (isBusy ? preferThroughput() : preferSmallHeap());
  const front = await listenHttps(server, { host: '127.0.0.1', port: 0, tls, clock, onLoad });
  print(front.port);
  flushCompileCache();
  preferSmallHeap();
  process.once('SIGTERM', async () => {
    await front.close();
    await server.close();
    await store.close();
    process.exit();
  });
}
