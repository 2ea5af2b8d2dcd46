import type { Answer } from '../answer.ts';
import type { CallerOrigin } from '../fronts/wire.ts';
import type { RequestHead } from '../http1/request-head.ts';
import { isTrustedProxy, type TrustedProxies } from '../policy/client-address.ts';

/**
 * The answer to a request that came without TLS and should not have: the same URL over TLS, to be
 * asked with the same method (RFC 9110 §15.4.9). `undefined` where TLS was spoken, by us or by a
 * proxy that is trusted to say so.
 *
 * @param settings.httpsPort where the Gateway speaks TLS; behind proxies that does not count
 */
export function planHttpsRedirect(
  { host, target, fields }: RequestHead,
  { remoteAddress, scheme }: CallerOrigin,
  settings: {
    readonly trustedProxies: TrustedProxies;
    readonly httpsPort: number | undefined;
  },
): Answer | undefined {
  const isProxied = isTrustedProxy(remoteAddress, settings.trustedProxies);
  const forwarded = isProxied ? fields.known.get('x-forwarded-proto') : undefined;
  if ((forwarded ?? scheme).toLowerCase() === 'https') return undefined;
  const name = host.replace(/:\d*$/, '');
  const { httpsPort = 443 } = settings;
  const port = isProxied || httpsPort === 443 ? '' : `:${httpsPort}`;
  const location = `https://${name}${port}${target}`;
  return {
    status: 308,
    code: 'HttpsOnly',
    message: `This is served over TLS only, at ${location}`,
    fields: [['Location', location]],
  };
}
