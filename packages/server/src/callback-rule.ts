import { BlockList, isIP } from 'node:net';

/**
 * Who may be called back: `public` stands for every host with an address of the public internet,
 * `*` for every host, `none` for nobody; others are hosts, `*.` before one for all below it, with
 * `:<port>` for that port only.
 *
 * Whoever may call a Function chooses the URL, so without a rule anybody could have Fnlet send
 * requests to what only this machine, or its network, reaches (server-side request forgery).
 */
export interface CallbackRule {
  /** Why nothing is sent to this URL; `undefined`: it may be, if its address is fine. */
  refuse(url: string): string | undefined;
  /** Whether something may be sent to this address of a host. */
  allows(host: string, port: number, address: string): boolean;
}

/** Reads a rule; `own` is where the Gateway answers, which may always be called. */
export function parseCallbackRule(text: string, own: () => string | undefined): CallbackRule {
  const entries = text.split(',').map((entry) => entry.trim().toLowerCase());
  const anybody = entries.includes('*');
  const publicHosts = entries.includes('public');
  const isNamed = (host: string, port: number): boolean =>
    anybody ||
    own() === `${host}:${port}` ||
    entries.some((entry) => matchesHost(entry, host, port));
  return {
    refuse(url) {
      const { host, port } = target(url);
      if (isNamed(host, port)) return undefined;
      const why = `start Fnlet with --callback-hosts ${host} to allow it`;
      if (!publicHosts) return `"${host}" is not among --callback-hosts; ${why}`;
      const isInner = isIP(host) === 0 ? isLocalName(host) : !isPublicAddress(host);
      return isInner ? `"${host}" is no host of the public internet; ${why}` : undefined;
    },
    allows: (host, port, address) =>
      isNamed(host, port) || (publicHosts && isPublicAddress(address)),
  };
}

function target(url: string): { readonly host: string; readonly port: number } {
  const { hostname, port, protocol } = new URL(url);
  const host = hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
  return { host, port: port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port) };
}

function matchesHost(entry: string, host: string, port: number): boolean {
  // A colon in an IPv6 address is no port.
  const [, named = entry, only] = /^(.*?)(?::(\d+))?$/.exec(isIP(entry) === 6 ? '' : entry) ?? [];
  const name = named === '' ? entry : named;
  if (only !== undefined && Number(only) !== port) return false;
  return name.startsWith('*.') ? host.endsWith(name.slice(1)) : name === host;
}

/** Names that mean something only here: without a dot, or below a domain that is for that. */
function isLocalName(host: string): boolean {
  return !host.includes('.') || /\.(localhost|local|internal|home\.arpa)$/.test(host);
}

// What the registries of special-purpose addresses (RFC 6890) hold back from the public internet,
// and what leads to such an address again: IPv4 within IPv6, and 6to4.
const reserved: readonly (readonly [net: string, bits: number, family: 'ipv4' | 'ipv6'])[] = [
  ['0.0.0.0', 8, 'ipv4'],
  ['10.0.0.0', 8, 'ipv4'],
  ['100.64.0.0', 10, 'ipv4'],
  ['127.0.0.0', 8, 'ipv4'],
  ['169.254.0.0', 16, 'ipv4'],
  ['172.16.0.0', 12, 'ipv4'],
  ['192.0.0.0', 24, 'ipv4'],
  ['192.168.0.0', 16, 'ipv4'],
  ['198.18.0.0', 15, 'ipv4'],
  ['224.0.0.0', 3, 'ipv4'],
  ['::', 96, 'ipv6'],
  ['::ffff:0:0', 96, 'ipv6'],
  ['64:ff9b::', 96, 'ipv6'],
  ['64:ff9b:1::', 48, 'ipv6'],
  ['100::', 64, 'ipv6'],
  ['2001::', 32, 'ipv6'],
  ['2002::', 16, 'ipv6'],
  ['fc00::', 7, 'ipv6'],
  ['fe80::', 9, 'ipv6'],
  ['ff00::', 8, 'ipv6'],
];

// One list each: a list of both takes every IPv4 address for the IPv6 address that stands for it.
const inner = { ipv4: new BlockList(), ipv6: new BlockList() };
for (const subnet of reserved) inner[subnet[2]].addSubnet(...subnet);

function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 0) return false;
  const name = family === 6 ? 'ipv6' : 'ipv4';
  return !inner[name].check(address, name);
}
