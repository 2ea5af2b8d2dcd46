import type { Kubeconfig } from '@fnlet/client';
import type { WebhookEndpoint } from '@fnlet/reconcile';
import { CliError } from '../cli-error.ts';
import { exitCodes } from '../exit-codes.ts';

/** Where the webhooks of operators listen, and how the API reaches them. */
export interface WebhookOptions {
  /**
   * The Service of the cluster that leads here, in the namespace of the Leases unless it is named
   * as `namespace/name`.
   */
  readonly service?: string | undefined;
  /** `https://host:port`, for an API that reaches this process without a Service. */
  readonly url?: string | undefined;
  /**
   * Where it listens; 0 takes a free port. Default: 9443 behind a Service, else the port of the
   * URL, else a free one.
   */
  readonly port?: number | undefined;
}

/** The same, decided. */
export interface WebhookTerms {
  /** Undefined: on all addresses. */
  readonly host: string | undefined;
  readonly port: number;
  /** How the API reaches it, once it listens at this port. */
  readonly endpointAt: (port: number) => WebhookEndpoint;
}

const servedPort = 9443;
const servicePort = 443;
const loopback = '127.0.0.1';

/**
 * Where webhooks are served. Without a word about it, on this machine only, if the API is there.
 *
 * @throws CliError when the API could not reach them there
 */
export function decideWebhookTerms(
  options: WebhookOptions,
  { server, namespace }: Pick<Kubeconfig, 'server' | 'namespace'>,
): WebhookTerms {
  const { port } = options;
  const endpoint = parseEndpoint(options, namespace);
  if (endpoint !== undefined) {
    const own = 'url' in endpoint ? portOf(new URL(endpoint.url)) : servedPort;
    return { host: undefined, port: port ?? own, endpointAt: () => endpoint };
  }
  if (!isLoopback(server)) {
    const text = `found the API at ${server}, expected a word on how it reaches this process`;
    throw new CliError(exitCodes.usage, `Cannot serve webhooks: ${text}`, {
      remedy: 'Name the Service that leads here with --webhook-service, or a --webhook-url',
    });
  }
  return {
    host: loopback,
    port: port ?? 0,
    endpointAt: (chosen) => ({ url: `https://${loopback}:${chosen}` }),
  };
}

/**
 * How an API reaches webhooks by these words; undefined when they do not say.
 *
 * @throws CliError for a URL that is none of a server
 */
export function parseEndpoint(
  { service, url }: Pick<WebhookOptions, 'service' | 'url'>,
  namespace: string,
): WebhookEndpoint | undefined {
  if (service !== undefined) {
    const [name = '', place = namespace] = service.split('/').toReversed();
    return { service: { namespace: place, name, port: servicePort } };
  }
  return url === undefined ? undefined : { url: parseUrl(url).origin };
}

function portOf({ port }: URL): number {
  return port === '' ? servicePort : Number(port);
}

function parseUrl(url: string): URL {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed?.protocol === 'https:' && parsed.pathname === '/') return parsed;
  const text = `Cannot serve webhooks: found the URL "${url}", expected https://host:port`;
  throw new CliError(exitCodes.usage, text);
}

function isLoopback(server: string): boolean {
  const { hostname } = new URL(server);
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname);
}
