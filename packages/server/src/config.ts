import {
  type ConfigSource,
  type Given,
  type LogLevel,
  parseBytes,
  parseLogLevel,
  parsePort,
  parsePortOrOff,
  parseSwitch,
  parseText,
  readSetting,
  type Setting,
} from './setting.ts';

export type { ConfigSource, LogLevel, Setting } from './setting.ts';

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
      'proxies before the Gateway whose X-Forwarded fields are believed: how many, or CIDRs',
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
  clusterOnly: {
    flag: 'cluster-only',
    env: 'FNLET_CLUSTER_ONLY',
    kind: 'switch',
    default: 'false',
    description:
      'be a cluster and no more: an API and a kubelet, for fnlet controller and fnlet gateway',
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
  /** Whether Functions are left to a controller and Gateways that run elsewhere. */
  readonly clusterOnly: boolean;
  readonly logLevel: LogLevel;
}

/**
 * Resolves the configuration.
 *
 * @throws FnletError `InvalidConfig`, naming the flag or variable, what was found and expected.
 */
export function resolveConfig(source: ConfigSource): ServerConfig {
  const read = (setting: Setting): Given => readSetting(setting, source);
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
    clusterOnly: parseSwitch(read(settings.clusterOnly)),
    logLevel: parseLogLevel(read(settings.logLevel)),
  };
}
