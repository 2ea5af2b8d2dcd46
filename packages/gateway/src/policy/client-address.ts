import { isIP } from 'node:net';
import { AddressRanges, isAddressRange, plainAddress } from './address-ranges.ts';

/** Which proxies before the Gateway say truly whom they speak for. */
export type TrustedProxies =
  /** As many, one behind the other, and no request comes without going through all of them. */
  | { readonly kind: 'hops'; readonly hops: number }
  /** Those that have one of these addresses. */
  | { readonly kind: 'ranges'; readonly ranges: Pick<AddressRanges, 'has'> };

/** Nobody but who holds the connection. */
export const trustNobody: TrustedProxies = { kind: 'hops', hops: 0 };

/**
 * The address of the client: who holds the connection, or, where that is a trusted proxy, whom it
 * speaks for.
 */
export function clientAddress(
  remoteAddress: string,
  forwardedFor: string | undefined,
  trusted: TrustedProxies,
): string {
  return believedChain(remoteAddress, forwardedFor, trusted)[0] ?? plainAddress(remoteAddress);
}

/**
 * The addresses behind who holds the connection, from the client on: as much of X-Forwarded-For,
 * whose last address each proxy added, as trusted proxies wrote. What stands before the first
 * untrusted address anybody can have written.
 */
export function believedChain(
  remoteAddress: string,
  forwardedFor: string | undefined,
  trusted: TrustedProxies,
): readonly string[] {
  if (forwardedFor === undefined) return [];
  const entries = forwardedFor.split(',');
  const chain: string[] = [];
  let last = plainAddress(remoteAddress);
  while (isTrusted(last, chain.length, trusted)) {
    const before = readAddress(entries.pop() ?? '');
    // An entry that is no address ("unknown") hides who it was: the proxy answers for them.
    if (before === undefined) break;
    chain.unshift(before);
    last = before;
  }
  return chain;
}

/** Whether who holds the connection is a proxy that is trusted. */
export function isTrustedProxy(remoteAddress: string, trusted: TrustedProxies): boolean {
  return isTrusted(plainAddress(remoteAddress), 0, trusted);
}

function isTrusted(address: string, hop: number, trusted: TrustedProxies): boolean {
  return trusted.kind === 'hops' ? hop < trusted.hops : trusted.ranges.has(address);
}

/** An entry of X-Forwarded-For: some proxies add the port, and then brackets around IPv6. */
function readAddress(entry: string): string | undefined {
  const text = entry.trim();
  const bare =
    /^\[([^\]]+)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;
  const address = plainAddress(bare);
  return isIP(address) === 0 ? undefined : address;
}

/** More than nobody has before a Gateway. */
const hopsMax = 32;

/** Reads a number of proxies, or their addresses and CIDR blocks with commas between them. */
export function parseTrustedProxies(text: string): TrustedProxies | undefined {
  if (/^\d{1,2}$/.test(text)) {
    const hops = Number(text);
    return hops <= hopsMax ? { kind: 'hops', hops } : undefined;
  }
  const ranges = text.split(',').map((range) => range.trim());
  if (!ranges.every(isAddressRange)) return undefined;
  return { kind: 'ranges', ranges: new AddressRanges(ranges) };
}
