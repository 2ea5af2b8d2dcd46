import type { JsonObject } from '@fnlet/base';
import { objectField, textField } from '../object/object-form.ts';

/** Where a webhook is, and whom to trust there (admissionregistration.k8s.io/v1 and CRDs). */
export interface ClientConfig {
  readonly target:
    | { readonly kind: 'url'; readonly url: string }
    | {
        readonly kind: 'service';
        readonly namespace: string;
        readonly name: string;
        readonly path: string;
        readonly port: number;
      };
  /** The only authorities that are trusted; undefined: those of the machine. */
  readonly caPem: string | undefined;
}

/** A client configuration that has passed validation. */
export function parseClientConfig(config: JsonObject): ClientConfig {
  const bundle = textField(config, 'caBundle');
  const caPem = bundle === '' ? undefined : Buffer.from(bundle, 'base64').toString();
  const url = textField(config, 'url');
  if (url !== '') return { target: { kind: 'url', url }, caPem };
  const service = objectField(config, 'service');
  const { port = 443 } = service;
  const target = {
    kind: 'service' as const,
    namespace: textField(service, 'namespace'),
    name: textField(service, 'name'),
    path: textField(service, 'path'),
    port: typeof port === 'number' ? port : 443,
  };
  return { target, caPem };
}

/** The address that is asked; the name in that of a Service is the one in its certificate. */
export function webhookUrl({ target }: ClientConfig): URL {
  if (target.kind === 'url') return new URL(target.url);
  const { namespace, name, port, path } = target;
  const url = new URL(`https://${name}.${namespace}.svc:${port}`);
  url.pathname = path;
  return url;
}
