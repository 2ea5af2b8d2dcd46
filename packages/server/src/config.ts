import { FnletError } from '@fnlet/base';

/** Where a setting comes from, and what it may be. */
export interface Setting {
  /** The flag without dashes, such as `api-port`. */
  readonly flag: string;
  readonly env: string;
  /** A `switch` is a flag without a value. */
  readonly kind: 'port' | 'text' | 'bytes' | 'choice' | 'switch';
  readonly default: string;
  readonly choices?: readonly string[];
  readonly description: string;
}

const mebibyte = 1024 * 1024;

/**
 * Every setting of an embedded Fnlet, declared once: flags, environment, help and docs are made of
 * this table. A flag wins over the environment, the environment over the default.
 */
export const settings: Readonly<Record<keyof ServerConfig, Setting>> = {
  dataDirectory: {
    flag: 'data-dir',
    env: 'FNLET_DATA_DIR',
    kind: 'text',
    default: './.fnlet',
    description: 'where everything is kept; one Fnlet at a time owns it',
  },
  host: {
    flag: 'host',
    env: 'FNLET_HOST',
    kind: 'text',
    default: '127.0.0.1',
    description: 'address to listen on; anything but a loopback address opens Fnlet to the network',
  },
  apiPort: {
    flag: 'api-port',
    env: 'FNLET_API_PORT',
    kind: 'port',
    default: '7443',
    description: 'port of the Kubernetes API (HTTPS); 0 picks a free one',
  },
  httpPort: {
    flag: 'http-port',
    env: 'FNLET_HTTP_PORT',
    kind: 'port',
    default: '8080',
    description: 'port of the Gateway, where functions are called; 0 picks a free one',
  },
  httpsPort: {
    flag: 'https-port',
    env: 'FNLET_HTTPS_PORT',
    kind: 'port',
    default: 'off',
    description: 'port of the Gateway for TLS, or off; 0 picks a free one',
  },
  dashboardPort: {
    flag: 'dashboard-port',
    env: 'FNLET_DASHBOARD_PORT',
    kind: 'port',
    default: '7080',
    description: 'port of the status page; 0 picks a free one',
  },
  bodyBytesMax: {
    flag: 'body-limit',
    env: 'FNLET_BODY_LIMIT',
    kind: 'bytes',
    default: '6Mi',
    description: 'largest request body that a function is sent (plain bytes, Ki or Mi)',
  },
  trustedProxies: {
    flag: 'trusted-proxies',
    env: 'FNLET_TRUSTED_PROXIES',
    kind: 'text',
    default: '0',
    description:
      'proxies before the Gateway that X-Forwarded-For is believed of: how many, or CIDRs',
  },
  accessLog: {
    flag: 'access-log',
    env: 'FNLET_ACCESS_LOG',
    kind: 'text',
    default: 'off',
    description:
      'where the Gateway writes a line about each request: off, stdout, stderr or a file',
  },
  eventsLog: {
    flag: 'events-log',
    env: 'FNLET_EVENTS_LOG',
    kind: 'text',
    default: 'lmdb',
    description:
      'where events are kept until they are delivered: lmdb (the data directory) or NATS',
  },
  kubelessKafka: {
    flag: 'kubeless-kafka',
    env: 'FNLET_KUBELESS_KAFKA',
    kind: 'text',
    default: 'kafka.kubeless:9092',
    description: 'where KafkaTriggers of Kubeless find their topics: host:port, between commas',
  },
  kubelessNats: {
    flag: 'kubeless-nats',
    env: 'FNLET_KUBELESS_NATS',
    kind: 'text',
    default: 'nats://nats.nats-io.svc.cluster.local:4222',
    description: 'where NATSTriggers of Kubeless find their subjects: URLs, between commas',
  },
  callbackHosts: {
    flag: 'callback-hosts',
    env: 'FNLET_CALLBACK_HOSTS',
    kind: 'text',
    default: 'public',
    description: 'who X-Callback-Url may name: public, none, *, or hosts between commas',
  },
  allowHostCommands: {
    flag: 'allow-host-commands',
    env: 'FNLET_ALLOW_HOST_COMMANDS',
    kind: 'switch',
    default: 'false',
    description: 'let containers of Pods run any program of this machine, as the user of Fnlet',
  },
  logLevel: {
    flag: 'log-level',
    env: 'FNLET_LOG_LEVEL',
    kind: 'choice',
    choices: ['debug', 'info', 'warn', 'error'],
    default: 'info',
    description: 'how much to say on the console',
  },
};

/** What an embedded Fnlet is told at start; every field is set. */
export interface ServerConfig {
  readonly dataDirectory: string;
  readonly host: string;
  readonly apiPort: number;
  readonly httpPort: number;
  /** `undefined`: the Gateway speaks no TLS. */
  readonly httpsPort: number | undefined;
  readonly dashboardPort: number;
  readonly bodyBytesMax: number;
  /** As `parseTrustedProxies` reads it. */
  readonly trustedProxies: string;
  /** `off`, `stdout`, `stderr` or the path of a file. */
  readonly accessLog: string;
  /** As `parseEventsLog` reads it. */
  readonly eventsLog: string;
  /** For triggers that do not say it; judged by the schema of Triggers. */
  readonly kubelessKafka: string;
  readonly kubelessNats: string;
  /** As `parseCallbackRule` reads it. */
  readonly callbackHosts: string;
  readonly allowHostCommands: boolean;
  readonly logLevel: LogLevel;
}

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** Texts as they came from flags (by flag name) and from the environment (by variable). */
export interface ConfigSource {
  readonly flags: Readonly<Record<string, string | undefined>>;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * Resolves the configuration.
 *
 * @throws FnletError `InvalidConfig`, naming the flag or variable, what was found and expected.
 */
export function resolveConfig(source: ConfigSource): ServerConfig {
  const read = (setting: Setting): Given => {
    const flag = source.flags[setting.flag];
    if (flag !== undefined) return { from: `--${setting.flag}`, text: flag };
    const env = source.env[setting.env];
    if (env !== undefined && env !== '') return { from: setting.env, text: env };
    return { from: `--${setting.flag}`, text: setting.default };
  };
  return {
    dataDirectory: parseText(read(settings.dataDirectory)),
    host: parseText(read(settings.host)),
    apiPort: parsePort(read(settings.apiPort)),
    httpPort: parsePort(read(settings.httpPort)),
    httpsPort: parsePortOrOff(read(settings.httpsPort)),
    dashboardPort: parsePort(read(settings.dashboardPort)),
    bodyBytesMax: parseBytes(read(settings.bodyBytesMax)),
    trustedProxies: parseText(read(settings.trustedProxies)),
    accessLog: parseText(read(settings.accessLog)),
    eventsLog: parseText(read(settings.eventsLog)),
    kubelessKafka: parseText(read(settings.kubelessKafka)),
    kubelessNats: parseText(read(settings.kubelessNats)),
    callbackHosts: parseText(read(settings.callbackHosts)),
    allowHostCommands: parseSwitch(read(settings.allowHostCommands)),
    logLevel: parseLogLevel(read(settings.logLevel)),
  };
}

interface Given {
  readonly from: string;
  readonly text: string;
}

function parseText(given: Given): string {
  return given.text.trim() === '' ? refuse(given, 'some text') : given.text;
}

function parsePort(given: Given): number {
  const port = Number(given.text);
  const isPort = /^\d+$/.test(given.text) && port <= 65_535;
  return isPort ? port : refuse(given, 'a port from 0 to 65535 (0 picks a free one)');
}

function parsePortOrOff(given: Given): number | undefined {
  return given.text === 'off' ? undefined : parsePort(given);
}

function parseBytes(given: Given): number {
  const match = /^(\d+)(Ki|Mi)?$/.exec(given.text);
  const unit = { '': 1, Ki: 1024, Mi: mebibyte }[match?.[2] ?? ''] ?? 1;
  const bytes = Number(match?.[1] ?? 0) * unit;
  const isBytes = bytes >= 1 && bytes <= 1024 * mebibyte;
  return isBytes ? bytes : refuse(given, 'a size from 1 byte to 1024Mi, such as 512Ki or 6Mi');
}

function parseSwitch(given: Given): boolean {
  if (given.text !== 'true' && given.text !== 'false') return refuse(given, 'true or false');
  return given.text === 'true';
}

function parseLogLevel(given: Given): LogLevel {
  const levels: readonly LogLevel[] = ['debug', 'info', 'warn', 'error'];
  const level = levels.find((known) => known === given.text);
  return level ?? refuse(given, levels.join(', '));
}

function refuse(given: Given, expected: string): never {
  throw new FnletError(
    'InvalidConfig',
    `Cannot use ${given.from}: found "${given.text}", expected ${expected}`,
  );
}
