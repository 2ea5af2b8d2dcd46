import { celError } from './cel-error.ts';
import { asString, asTagged, type CelOverload, overload } from './cel-function.ts';
import { type CelValue, celList, celMap } from './cel-value.ts';
import {
  type Cidr,
  containsCidr,
  containsIp,
  formatIp,
  type IpAddress,
  maskedCidr,
  parseCidr,
  parseIp,
} from './ip-address.ts';
import { formatCheck } from './string-format.ts';

/** Kubernetes' url, ip and cidr libraries. */
export const celNetworkFunctions = (): readonly CelOverload[] => [
  overload('isURL(string): bool', ([text]) => parseUrl(asString(text)) !== undefined),
  overload('url(string): url', ([text]) => {
    const url = parseUrl(asString(text));
    if (url === undefined) {
      throw celError(`URL parse error during conversion from string: ${JSON.stringify(text)}`);
    }
    return { kind: 'url', url, text: asString(text) };
  }),
  urlPart('getScheme', (url) => (isRelative(url) ? '' : url.protocol.slice(0, -1))),
  urlPart('getHost', (url, text) => (isRelative(url) ? '' : hostOf(text))),
  urlPart('getHostname', (url) => (isRelative(url) ? '' : url.hostname.replace(/^\[|\]$/g, ''))),
  urlPart('getPort', (url, text) =>
    isRelative(url) ? '' : (/:(\d+)$/.exec(hostOf(text))?.[1] ?? ''),
  ),
  urlPart('getEscapedPath', (url) => url.pathname),
  overload('url.getQuery(): map<string, list<string>>', ([value]) => {
    const { searchParams } = asTagged('url', value).url;
    return celMap(
      [...new Set(searchParams.keys())].map((key) => [key, celList(searchParams.getAll(key))]),
    );
  }),
  overload('isIP(string): bool', ([text]) => parseIp(asString(text)) !== undefined),
  overload('ip(string): ip', ([text]) => ({ kind: 'ip', ip: ipOf(text) })),
  overload('ip::isCanonical(string): bool', ([text]) => formatIp(ipOf(text)) === text),
  overload('ip.family(): int', ([value]) => BigInt(ipOf(value).family)),
  ipTest('isUnspecified', (ip) => ip.bytes.every((byte) => byte === 0)),
  ipTest('isLoopback', isLoopback),
  ipTest('isLinkLocalMulticast', isLinkLocalMulticast),
  ipTest('isLinkLocalUnicast', isLinkLocalUnicast),
  ipTest('isGlobalUnicast', isGlobalUnicast),
  overload('isCIDR(string): bool', ([text]) => parseCidr(asString(text)) !== undefined),
  overload('cidr(string): cidr', ([text]) => ({ kind: 'cidr', cidr: cidrOf(text) })),
  ...['ip', 'string'].map((type) =>
    overload(`cidr.containsIP(${type}): bool`, ([cidr, ip]) => containsIp(cidrOf(cidr), ipOf(ip))),
  ),
  ...['cidr', 'string'].map((type) =>
    overload(`cidr.containsCIDR(${type}): bool`, ([cidr, other]) =>
      containsCidr(cidrOf(cidr), cidrOf(other)),
    ),
  ),
  overload('cidr.ip(): ip', ([cidr]) => ({ kind: 'ip', ip: cidrOf(cidr).ip })),
  overload('cidr.masked(): cidr', ([cidr]) => ({ kind: 'cidr', cidr: maskedCidr(cidrOf(cidr)) })),
  overload('cidr.prefixLength(): int', ([cidr]) => BigInt(cidrOf(cidr).prefixLength)),
];

const relativeBase = 'http://relative.invalid';

function parseUrl(text: string): URL | undefined {
  if (formatCheck('uri')?.(text) !== true) return undefined;
  return URL.canParse(text, relativeBase) ? new URL(text, relativeBase) : undefined;
}

function isRelative(url: URL): boolean {
  return url.origin === relativeBase;
}

// URL leaves out a port that the scheme implies; Kubernetes shows what is written.
function hostOf(text: string): string {
  return /^[^:/?#]+:\/\/(?:[^/?#@]*@)?([^/?#]*)/.exec(text)?.[1] ?? '';
}

function urlPart(name: string, read: (url: URL, text: string) => string): CelOverload {
  return overload(`url.${name}(): string`, ([value]) => {
    const { url, text } = asTagged('url', value);
    return read(url, text);
  });
}

function ipOf(value: CelValue | undefined): IpAddress {
  if (typeof value !== 'string') return asTagged('ip', value).ip;
  const ip = parseIp(value);
  if (ip === undefined) {
    throw celError(`IP Address ${JSON.stringify(value)} parse error during conversion from string`);
  }
  return ip;
}

function cidrOf(value: CelValue | undefined): Cidr {
  if (typeof value !== 'string') return asTagged('cidr', value).cidr;
  const cidr = parseCidr(value);
  if (cidr === undefined) {
    throw celError(
      `network address parse error during conversion from string: ${JSON.stringify(value)}`,
    );
  }
  return cidr;
}

function ipTest(name: string, holds: (ip: IpAddress) => boolean): CelOverload {
  return overload(`ip.${name}(): bool`, ([value]) => holds(ipOf(value)));
}

function isLoopback({ family, bytes }: IpAddress): boolean {
  if (family === 4) return bytes[0] === 127;
  return bytes.every((byte, i) => byte === (i === 15 ? 1 : 0));
}

function isLinkLocalMulticast({ family, bytes }: IpAddress): boolean {
  if (family === 4) return bytes[0] === 224 && bytes[1] === 0 && bytes[2] === 0;
  return bytes[0] === 0xff && ((bytes[1] ?? 0) & 0x0f) === 2;
}

function isLinkLocalUnicast({ family, bytes }: IpAddress): boolean {
  if (family === 4) return bytes[0] === 169 && bytes[1] === 254;
  return bytes[0] === 0xfe && ((bytes[1] ?? 0) & 0xc0) === 0x80;
}

function isGlobalUnicast(ip: IpAddress): boolean {
  const { family, bytes } = ip;
  const isMulticast = family === 4 ? ((bytes[0] ?? 0) & 0xf0) === 0xe0 : bytes[0] === 0xff;
  const isBroadcast = family === 4 && bytes.every((byte) => byte === 255);
  const isUnspecified = bytes.every((byte) => byte === 0);
  return !(isMulticast || isBroadcast || isUnspecified || isLoopback(ip) || isLinkLocalUnicast(ip));
}
