import { FnletError } from '@fnlet/base';
import { type GatewayOptions, parseTrustedProxies } from '@fnlet/gateway';

/**
 * Reads who is believed in X-Forwarded-For and its like.
 *
 * @throws FnletError `InvalidConfig`
 */
export function readTrustedProxies(text: string): NonNullable<GatewayOptions['trustedProxies']> {
  const trusted = parseTrustedProxies(text);
  if (trusted !== undefined) return trusted;
  const expected = 'expected a number from 0 to 32, or CIDR blocks with commas between them';
  throw new FnletError(
    'InvalidConfig',
    `Cannot use --trusted-proxies: found "${text}", ${expected}`,
  );
}
