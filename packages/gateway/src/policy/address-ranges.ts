import { BlockList, isIPv4, isIPv6 } from 'node:net';

/** A set of IP addresses: single ones and CIDR blocks, of both families. */
export class AddressRanges {
  readonly #list = new BlockList();

  /** Each such as `10.0.0.0/8`, `192.0.2.7` or `2001:db8::/32`; others are not taken. */
  constructor(ranges: readonly string[]) {
    for (const range of ranges) {
      const parsed = parseRange(range);
      if (parsed === undefined) continue;
      this.#list.addSubnet(parsed.address, parsed.prefix, parsed.family);
    }
  }

  /** Whether an address is in it. An IPv4 address within IPv6 is that IPv4 address. */
  has(address: string): boolean {
    const plain = plainAddress(address);
    if (isIPv4(plain)) return this.#list.check(plain, 'ipv4');
    return isIPv6(plain) && this.#list.check(plain, 'ipv6');
  }
}

type AddressRange = {
  readonly family: 'ipv4' | 'ipv6';
  readonly address: string;
  readonly prefix: number;
};

/** Whether a text is an address or a CIDR block. */
export function isAddressRange(text: string): boolean {
  return parseRange(text) !== undefined;
}

function parseRange(text: string): AddressRange | undefined {
  const [, address = '', digits] = /^([\da-fA-F:.]+)(?:\/(0|[1-9]\d{0,2}))?$/.exec(text) ?? [];
  const family = isIPv4(address) ? 'ipv4' : isIPv6(address) ? 'ipv6' : undefined;
  if (family === undefined) return undefined;
  const bits = family === 'ipv4' ? 32 : 128;
  const prefix = digits === undefined ? bits : Number(digits);
  return prefix > bits ? undefined : { family, address, prefix };
}

/** Without the zone of a link-local address, and as IPv4 where it is one within IPv6. */
export function plainAddress(address: string): string {
  const zone = address.indexOf('%');
  const bare = zone < 0 ? address : address.slice(0, zone);
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(bare)?.[1];
  return mapped ?? bare;
}

/**
 * What stands for one client where clients are counted: its IPv4 address, or the /64 block of its
 * IPv6 address, because that is what one subscriber has at least (RFC 6177), to use as they like.
 */
export function clientBlock(address: string): string {
  const plain = plainAddress(address);
  if (!isIPv6(plain)) return plain;
  const [head = '', tail] = plain.toLowerCase().split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  // An IPv4 address at the end counts for two groups.
  const written = left.length + right.length + (plain.includes('.') ? 1 : 0);
  const zeros = tail === undefined ? 0 : 8 - written;
  const groups = [...left, ...Array.from({ length: zeros }, () => '0'), ...right].slice(0, 4);
  return `${groups.map((group) => group.replace(/^0+(?=.)/, '')).join(':')}::/64`;
}
