import type { Clock, Logger } from '@fnlet/base';
import type { Client } from '@fnlet/client';
import {
  type CertificateKeeper,
  createCertificateKeeper,
  hostOf,
  type OperatorWebhooks,
  type WebhookEndpoint,
} from '@fnlet/reconcile';
import type { WebhookTerms } from './webhook-terms.ts';

/** Webhooks that are served. */
export interface WebhookServer extends AsyncDisposable {
  readonly endpoint: WebhookEndpoint;
  /**
   * Keeps the certificate good, and the API's trust in it, while it runs; to be run once the API
   * has been told of the webhooks.
   */
  readonly keeper: CertificateKeeper;
}

/**
 * Serves webhooks over HTTPS, with an identity that all replicas share; it listens when this
 * resolves, and takes no more calls once it is disposed of.
 *
 * @throws StatusError, TransportError for an identity that can be neither read nor made
 */
export async function startWebhooks(
  options: {
    readonly webhooks: OperatorWebhooks;
    readonly terms: WebhookTerms;
    readonly client: Client;
    /** Of the Secret with the identity, which is called after it, and of the configurations. */
    readonly name: string;
    readonly namespace: string;
    readonly clock: Clock;
    readonly logger: Logger;
  },
  signal: AbortSignal,
): Promise<WebhookServer> {
  const { webhooks, terms, client, name, namespace, clock, logger } = options;
  const { host, port, endpointAt } = terms;
  const endpoint = endpointAt(port);
  const keeper = createCertificateKeeper({
    // What it applies is a part of what others do: the trust in the certificate, nothing else.
    client: client.as(`${name}-certificates`),
    secret: { namespace, name: `${name}-webhooks` },
    hosts: [hostOf(endpoint)],
    targets: webhooks.register(name, endpoint).targets,
    onChange: (certificates) => listener.renew(certificates),
    clock,
    logger,
  });
  const certificate = await keeper.identity(signal);
  // Loaded only where there are webhooks.
  const { listenHttps } = await import('@fnlet/client/tls');
  const handler = webhooks.handler({ clock, logger });
  const listener = await listenHttps({ host, port, handler, certificate, logger });
  logger.info('Serving webhooks', { port: listener.port });
  return {
    endpoint: endpointAt(listener.port),
    keeper,
    [Symbol.asyncDispose]: () => listener.close(),
  };
}
