import { FnletError } from '@fnlet/base';
import type { JetStreamOptions } from '@fnlet/store/log';

/** Where events are kept: in the data directory, or by NATS servers. */
export type EventsLog = 'lmdb' | JetStreamOptions;

const parameters = [
  'name',
  'replicas',
  'monitor',
  'durable',
  'credentials',
  'ca',
  'certificate',
  'key',
] as const;

type Parameter = (typeof parameters)[number];

/**
 * Reads `--events-log`: `lmdb`, or the addresses of NATS servers with commas between them, and what
 * else a connection needs as the query of the last one:
 *
 *     nats://one:4222,nats://two:4222?replicas=3&credentials=/etc/nats/user.creds
 *
 * User and password, or a token alone, may stand in the first address. Nothing of an address is
 * told in an error: it may be a secret.
 *
 * @throws FnletError `InvalidConfig`
 */
export function parseEventsLog(text: string): EventsLog {
  if (text === 'lmdb') return 'lmdb';
  const [addresses = '', query = ''] = splitOnce(text, '?');
  const urls = addresses.split(',').map(parseAddress);
  const given = parseParameters(query);
  const replicas = given.get('replicas') ?? '1';
  if (!/^[1-5]$/.test(replicas)) refuse('replicas', 'a number from 1 to 5');
  const durable = given.get('durable') ?? 'warn';
  if (durable !== 'warn' && durable !== 'require') refuse('durable', 'warn or require');
  const name = given.get('name') ?? 'fnlet';
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(name)) refuse('name', 'letters, digits, - and _');
  const monitor = given.get('monitor');
  if (monitor !== undefined && !URL.canParse(monitor)) refuse('monitor', 'a URL');
  const credentialsFile = given.get('credentials');
  return {
    servers: urls.map(({ protocol, host }) => `${protocol}//${host}`),
    name,
    replicas: Number(replicas),
    requireDurable: durable === 'require',
    ...(monitor === undefined ? {} : { monitor }),
    ...(credentialsFile === undefined ? {} : { credentialsFile }),
    ...userOf(urls),
    ...tlsOf(urls, given),
  };
}

function parseAddress(text: string): URL {
  const url = URL.parse(text);
  const isNats = url?.protocol === 'nats:' || url?.protocol === 'tls:';
  if (url === null || !isNats || url.host === '')
    return refuse('an address', 'lmdb or nats://host:port');
  return url;
}

function parseParameters(query: string): ReadonlyMap<Parameter, string> {
  const given = new Map<Parameter, string>();
  for (const [name, value] of new URLSearchParams(query)) {
    const known = parameters.find((parameter) => parameter === name);
    if (known === undefined || value === '') {
      return refuse(`a parameter "${name}"`, `one of ${parameters.join(', ')}, with a value`);
    }
    given.set(known, value);
  }
  return given;
}

/** A user without a password is a token, as for NATS' own tools. */
function userOf([url]: readonly URL[]): Pick<JetStreamOptions, 'user' | 'password' | 'token'> {
  const user = decodeURIComponent(url?.username ?? '');
  const password = decodeURIComponent(url?.password ?? '');
  if (user === '') return {};
  return password === '' ? { token: user } : { user, password };
}

function tlsOf(
  urls: readonly URL[],
  given: ReadonlyMap<Parameter, string>,
): Pick<JetStreamOptions, 'tls'> {
  const caFile = given.get('ca');
  const certificateFile = given.get('certificate');
  const keyFile = given.get('key');
  const isAsked = urls.some(({ protocol }) => protocol === 'tls:');
  if (!isAsked && caFile === undefined && certificateFile === undefined) return {};
  return {
    tls: {
      ...(caFile === undefined ? {} : { caFile }),
      ...(certificateFile === undefined ? {} : { certificateFile }),
      ...(keyFile === undefined ? {} : { keyFile }),
    },
  };
}

function splitOnce(text: string, separator: string): readonly string[] {
  const at = text.indexOf(separator);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

function refuse(part: string, expected: string): never {
  throw new FnletError(
    'InvalidConfig',
    `Cannot use --events-log: found ${part} that cannot be read, expected ${expected}`,
  );
}
