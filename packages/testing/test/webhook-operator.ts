import { silentLogger, systemClock } from '@fnlet/base';
import { type CertificatePair, createAuthority, listenHttps } from '@fnlet/client/tls';
import { type CertificateTarget, createCertificateKeeper, type WebHandler } from '@fnlet/reconcile';
import type { TestCluster } from '../src/index.ts';

const host = '127.0.0.1';

/** What an operator does about its webhooks: a certificate, a listener, and the API's trust. */
export async function serveWebhooks(
  { client }: TestCluster,
  {
    port,
    handler,
    targets,
  }: {
    readonly port: number;
    readonly handler: WebHandler;
    readonly targets: readonly CertificateTarget[];
  },
): Promise<AsyncDisposable> {
  const abort = new AbortController();
  const served = Promise.withResolvers<CertificatePair>();
  const keeper = createCertificateKeeper({
    ...{ client, clock: systemClock, logger: silentLogger, targets },
    secret: { namespace: 'default', name: 'webhook-tls' },
    hosts: [host],
    onChange: (certificates) => served.resolve(certificates),
  });
  const running = keeper.run(abort.signal);
  const certificate = await served.promise;
  const listener = await listenHttps({ host, port, handler, certificate, logger: silentLogger });
  return {
    [Symbol.asyncDispose]: async () => {
      abort.abort();
      await running;
      await listener.close();
    },
  };
}

/** A port that nobody listens on at the moment. */
export async function freePort(): Promise<number> {
  const terms = { commonName: 'nobody', now: systemClock.now(), lifeMs: 60_000 };
  const certificate = await createAuthority(terms);
  const handler = (): Promise<Response> => Promise.resolve(new Response());
  const where = { host, port: 0, logger: silentLogger };
  await using listener = await listenHttps({ ...where, handler, certificate });
  return listener.port;
}
