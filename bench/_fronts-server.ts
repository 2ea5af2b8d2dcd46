/**
 * One side of the benchmark of fronts: `_fronts-server.ts gateway <socket>` prints the ports that it
 * listens on, `_fronts-server.ts instance <socket>` that it is ready.
 */
import { createServer } from 'node:http';
import { silentLogger, systemClock, systemRandom } from '@fnlet/base';
import { createAuthority, signServerCertificate } from '@fnlet/client/tls';
import { createGateway } from '@fnlet/gateway';

async function serveGateway(socketPath: string): Promise<void> {
  const gateway = createGateway({
    clock: systemClock,
    random: systemRandom,
    logger: silentLogger,
    onDemand: () => {},
  });
  const revision = 'default/hello-1';
  const waits = { timeoutMs: 30_000, wakeMs: 0 };
  const bounds = { bodyBytesMax: 6_000_000, concurrencyLimit: 0, concurrencyTarget: 0 };
  const route = { namespace: 'default', function: 'hello', revision, ...waits, ...bounds };
  gateway.setRoute(route);
  gateway.setEndpoints(revision, [{ id: 'hello-1-a', socketPath }]);
  const terms = { commonName: 'bench', now: systemClock.now(), lifeMs: 86_400_000 };
  const fallback = await signServerCertificate(await createAuthority(terms), ['localhost'], terms);
  const source = { fallback, forHost: () => Promise.resolve(undefined) };
  const plain = await gateway.listen({ host: '127.0.0.1', port: 0 });
  const tls = await gateway.listenTls({ host: '127.0.0.1', port: 0 }, source);
  process.stdout.write(`${JSON.stringify({ plain: plain.port, tls: tls.port })}\n`);
}

/** An Instance that does as little as it can. */
function serveInstance(socketPath: string): void {
  const server = createServer((_incoming, answer) => answer.end('hello, world'));
  server.keepAliveTimeout = 0;
  server.listen(socketPath, () => process.stdout.write('{}\n'));
}

const [role, socketPath = ''] = process.argv.slice(2);
if (role === 'gateway') await serveGateway(socketPath);
else serveInstance(socketPath);
