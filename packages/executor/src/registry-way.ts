import { limits } from './limits.ts';
import { openServiceProxy } from './source/service-proxy.ts';
import type { FindService, NetworkPlace } from './source/service-route.ts';

type Variables = Readonly<Record<string, string>>;

export interface RegistryWayOptions {
  /** What a package manager reads: where it says that packages come from. */
  readonly texts: readonly (string | undefined)[];
  /** Of the package manager. */
  readonly environment: Variables;
  /** Default: no host is a Service. */
  readonly findService?: FindService | undefined;
  readonly signal: AbortSignal;
}

const proxies = /^(HTTPS?|NO|ALL)_PROXY$|^NPM_CONFIG_(HTTPS_)?(NO)?PROXY$/i;

/**
 * Runs `work` with the environment of a package manager. Where a registry is a Service, whose name
 * means nothing to the machine, everything goes by a proxy that knows it, for as long as `work`
 * takes; it connects to all other hosts itself.
 */
export async function withRegistryWay<T>(
  { texts, environment, findService, signal }: RegistryWayOptions,
  work: (environment: Variables) => Promise<T>,
): Promise<T> {
  if (findService === undefined) return work(environment);
  const routes = placesIn(texts).map((place) => findService(place, signal));
  const isService = (await Promise.all(routes)).some((route) => route !== undefined);
  if (!isService) return work(environment);
  await using proxy = await openServiceProxy(findService);
  const kept = Object.entries(environment).filter(([name]) => !proxies.test(name));
  // Who reads which of them, and in which case, is a matter of taste.
  const names = ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'https_proxy'];
  const told = names.map((name) => [name, proxy.url] as const);
  return await work(Object.fromEntries([...kept, ...told]));
}

/** The hosts of the URLs in texts, each with its port. */
export function placesIn(texts: readonly (string | undefined)[]): readonly NetworkPlace[] {
  const places = new Map<string, NetworkPlace>();
  for (const text of texts) {
    const found = (text ?? '').matchAll(
      /\b(https?):\/\/(?:[^\s/@"']*@)?([a-z0-9.-]+)(?::(\d+))?/gi,
    );
    for (const [, protocol = '', host = '', port] of found) {
      if (places.size >= limits.registriesMax) break;
      const usual = protocol.toLowerCase() === 'https' ? 443 : 80;
      const place = { host: host.toLowerCase(), port: port === undefined ? usual : Number(port) };
      places.set(`${place.host}:${place.port}`, place);
    }
  }
  return [...places.values()];
}
