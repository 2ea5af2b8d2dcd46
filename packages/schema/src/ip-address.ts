/** An IPv4 (4 bytes) or IPv6 (16 bytes) address. */
export interface IpAddress {
  readonly family: 4 | 6;
  readonly bytes: readonly number[];
}

/** Reads an address as Go's net.ParseIP does, without zones; `undefined` when it is not one. */
export function parseIp(text: string): IpAddress | undefined {
  if (text.includes(':')) {
    const bytes = parseIpv6(text);
    return bytes === undefined ? undefined : { family: 6, bytes };
  }
  const bytes = parseIpv4(text);
  return bytes === undefined ? undefined : { family: 4, bytes };
}

function parseIpv4(text: string): number[] | undefined {
  const parts = text.split('.');
  if (parts.length !== 4) return undefined;
  const bytes = parts.map((part) => (/^(0|[1-9]\d{0,2})$/.test(part) ? Number(part) : 256));
  return bytes.every((byte) => byte < 256) ? bytes : undefined;
}

function parseIpv6(text: string): number[] | undefined {
  const halves = text.split('::');
  if (halves.length > 2) return undefined;
  const head = parseGroups(halves[0] ?? '', halves.length === 1);
  const tail = halves.length === 1 ? [] : parseGroups(halves[1] ?? '', true);
  if (head === undefined || tail === undefined) return undefined;
  if (halves.length === 1) return head.length === 16 ? head : undefined;
  const missing = 16 - head.length - tail.length;
  return missing < 2 ? undefined : [...head, ...new Array<number>(missing).fill(0), ...tail];
}

// The last group may be an IPv4 address (::ffff:192.0.2.1).
function parseGroups(text: string, last: boolean): number[] | undefined {
  if (text === '') return [];
  const groups = text.split(':');
  const bytes: number[] = [];
  for (const [i, group] of groups.entries()) {
    const isLast = last && i === groups.length - 1;
    const embedded = isLast && group.includes('.') ? parseIpv4(group) : undefined;
    if (embedded !== undefined) bytes.push(...embedded);
    else if (/^[0-9a-fA-F]{1,4}$/.test(group)) {
      const value = Number.parseInt(group, 16);
      bytes.push(value >> 8, value & 255);
    } else return undefined;
  }
  return bytes;
}

/** An address with the length of its network prefix. */
export interface Cidr {
  readonly ip: IpAddress;
  readonly prefixLength: number;
}

/** Reads `192.0.2.0/24` or `2001:db8::/32`; `undefined` when it is neither. */
export function parseCidr(text: string): Cidr | undefined {
  const slash = text.indexOf('/');
  const ip = slash < 0 ? undefined : parseIp(text.slice(0, slash));
  const length = text.slice(slash + 1);
  if (ip === undefined || !/^(0|[1-9]\d{0,2})$/.test(length)) return undefined;
  const prefixLength = Number(length);
  return prefixLength <= ip.bytes.length * 8 ? { ip, prefixLength } : undefined;
}

/** The canonical text of an address (RFC 5952), as Go prints it. */
export function formatIp({ family, bytes }: IpAddress): string {
  if (family === 4) return bytes.join('.');
  const groups = Array.from({ length: 8 }, (_, i) => group(bytes, i));
  const zeros = longestZeros(groups);
  const text = (part: readonly number[]): string => part.map((one) => one.toString(16)).join(':');
  if (zeros.length < 2) return text(groups);
  return `${text(groups.slice(0, zeros.start))}::${text(groups.slice(zeros.start + zeros.length))}`;
}

function group(bytes: readonly number[], index: number): number {
  return ((bytes[index * 2] ?? 0) << 8) | (bytes[index * 2 + 1] ?? 0);
}

function longestZeros(groups: readonly number[]): {
  readonly start: number;
  readonly length: number;
} {
  let best = { start: 0, length: 0 };
  let start = 0;
  for (const [i, one] of groups.entries()) {
    if (one !== 0) start = i + 1;
    else if (i + 1 - start > best.length) best = { start, length: i + 1 - start };
  }
  return best;
}

export function formatCidr({ ip, prefixLength }: Cidr): string {
  return `${formatIp(ip)}/${prefixLength}`;
}

/** The network with the bits after its prefix set to zero. */
export function maskedCidr({ ip, prefixLength }: Cidr): Cidr {
  const bytes = ip.bytes.map((byte, i) => {
    const bits = Math.max(0, Math.min(8, prefixLength - i * 8));
    return byte & (0xff00 >> bits) & 0xff;
  });
  return { ip: { ...ip, bytes }, prefixLength };
}

/** Whether the address belongs to the network. */
export function containsIp(network: Cidr, ip: IpAddress): boolean {
  if (network.ip.family !== ip.family) return false;
  const { prefixLength } = network;
  return `${maskedCidr({ ip, prefixLength }).ip.bytes}` === `${maskedCidr(network).ip.bytes}`;
}

/** Whether all addresses of `other` belong to the network. */
export function containsCidr(network: Cidr, other: Cidr): boolean {
  return other.prefixLength >= network.prefixLength && containsIp(network, other.ip);
}
