/** Where an API server reaches the webhooks of an operator. */
export type WebhookEndpoint =
  | {
      /** `https://host:port`. */
      readonly url: string;
    }
  | {
      /** A Service of the cluster. */
      readonly service: {
        readonly namespace: string;
        readonly name: string;
        readonly port: number;
      };
    };

/** The `clientConfig` of a webhook at this path. */
export function clientConfigAt(endpoint: WebhookEndpoint, path: string): object {
  if ('service' in endpoint) return { service: { ...endpoint.service, path } };
  return { url: new URL(path, endpoint.url).href };
}

/** The name, or the address, that the certificate of an endpoint must be for. */
export function hostOf(endpoint: WebhookEndpoint): string {
  if ('url' in endpoint) return new URL(endpoint.url).hostname.replace(/^\[|\]$/g, '');
  const { namespace, name } = endpoint.service;
  return `${name}.${namespace}.svc`;
}
