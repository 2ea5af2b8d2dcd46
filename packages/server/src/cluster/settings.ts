/** Settings of the parts of Fnlet in a cluster; flags, environment and help are made of them. */
import {
  type ConfigSource,
  type LogLevel,
  parseBytes,
  parseHttpUrl,
  parseLogLevel,
  parsePort,
  parseSwitch,
  parseText,
  readSetting,
  type Setting,
} from '../setting.ts';
import { authorityFile, clusterNames, clusterPorts, controllerTokenFile } from './names.ts';
import { type RouteSettings, resolveRouteSettings } from './routes/route-settings.ts';

function text(flag: string, fallback: string, description: string): Setting {
  return { ...named(flag), kind: 'text', default: fallback, description };
}

function port(flag: string, fallback: number, description: string): Setting {
  return { ...named(flag), kind: 'port', default: String(fallback), description };
}

function onOff(flag: string, description: string): Setting {
  return { ...named(flag), kind: 'switch', default: 'false', description };
}

function named(flag: string): Pick<Setting, 'flag' | 'env'> {
  return { flag, env: `FNLET_${flag.toUpperCase().replaceAll('-', '_')}` };
}

const service = `${clusterNames.controllerService}.${clusterNames.namespace}.svc`;

const shared = {
  systemNamespace: text(
    'system-namespace',
    clusterNames.namespace,
    'namespace of the installation',
  ),
  host: text('host', '0.0.0.0', 'address to listen on'),
  healthPort: port('health-port', clusterPorts.health, 'port of /healthz, /readyz and /metrics'),
  replica: text(
    'replica',
    'auto',
    'name of this replica, before what makes it unique; auto: that of the machine',
  ),
  bodyBytesMax: {
    ...named('body-limit'),
    kind: 'bytes',
    default: '6Mi',
    description: 'largest request body that a function is sent (plain bytes, Ki or Mi)',
  },
  logLevel: {
    ...named('log-level'),
    kind: 'choice',
    choices: ['debug', 'info', 'warn', 'error'],
    default: 'info',
    description: 'how much to say on the console',
  },
} as const satisfies Record<string, Setting>;

/** Every setting of `fnlet controller`. */
export const controllerSettings: Readonly<
  Record<Exclude<keyof ControllerConfig, 'routes'> | RouteSettingName, Setting>
> = {
  ...shared,
  dataDirectory: text(
    'data-dir',
    '/var/lib/fnlet',
    'where artifacts are kept, which are made again when they are lost, and events',
  ),
  artifactsBucket: text(
    'artifacts-bucket',
    'none',
    'what keeps artifacts besides: s3://bucket[/prefix][?endpoint=…&region=…&style=path]',
  ),
  runnersPort: port('runners-port', clusterPorts.runners, 'port that Pods connect to (TLS)'),
  runnersUrl: text(
    'runners-url',
    `https://${service}:${clusterPorts.runners}`,
    'where Pods find the controller that leads',
  ),
  gatewaysPort: port('gateways-port', clusterPorts.gateways, 'port that Gateways connect to (TLS)'),
  apiPort: port(
    'aggregated-port',
    clusterPorts.api,
    'port that the API server passes requests on to (TLS), where --aggregated-api is on',
  ),
  aggregatedApi: {
    ...named('aggregated-api'),
    kind: 'switch',
    default: 'true',
    description: "answer for events, calls and runs of Operators in the cluster's API",
  },
  podName: text('pod-name', 'none', 'name of this Pod, which is labelled while it leads'),
  gatewayUrl: text(
    'gateway-url',
    `http://${clusterNames.gateway}.${clusterNames.namespace}.svc`,
    'where people reach the Gateway, for the status of functions',
  ),
  eventsLog: text(
    'events-log',
    'lmdb',
    'where events are kept until they are delivered: lmdb (the data directory) or NATS',
  ),
  asyncCalls: {
    ...named('async-calls'),
    kind: 'switch',
    default: 'false',
    description: 'take calls that are answered later: the data directory outlives this replica',
  },
  callbackHosts: text(
    'callback-hosts',
    'public',
    'who X-Callback-Url may name: public, none, *, or hosts between commas',
  ),
  ingressClass: text(
    'ingress-class',
    'none',
    'IngressClass of the Ingresses that are made for Triggers with the source http',
  ),
  ingressAnnotations: text(
    'ingress-annotations',
    'none',
    'annotations of these Ingresses, one name=value a line',
  ),
  httpRouteParent: text(
    'http-route-parent',
    'none',
    'Gateway of the HTTPRoutes that are made for them: namespace/name[/listener]',
  ),
  kyma: onOff('kyma', "act on Kyma's Functions, Subscriptions and APIRules, in place of Kyma"),
  kubeless: onOff('kubeless', "act on Kubeless's functions and triggers, in place of Kubeless"),
  kubelessKafka: text(
    'kubeless-kafka',
    'kafka.kubeless:9092',
    'where KafkaTriggers of Kubeless find their topics: servers, between commas',
  ),
  kubelessNats: text(
    'kubeless-nats',
    'nats://nats.nats-io.svc.cluster.local:4222',
    'where NATSTriggers of Kubeless find their subjects: URLs, between commas',
  ),
  customMetrics: onOff(
    'custom-metrics',
    'serve what is measured of functions as custom.metrics.k8s.io',
  ),
  externalMetrics: onOff('external-metrics', 'serve the same as external.metrics.k8s.io'),
  podIp: text('pod-ip', 'none', 'address of this Pod, which the Service leads to while it leads'),
  registry: text('registry', 'none', 'where images come from, such as registry.example/mirror'),
  functionNetworkPolicies: {
    ...named('function-network-policies'),
    kind: 'switch',
    default: 'true',
    description: 'only Gateways and controllers reach functions, where the network obeys policies',
  },
  sharedNetwork: {
    ...named('shared-network'),
    kind: 'switch',
    default: 'false',
    description: 'Pods share one network, as those that an embedded Fnlet runs as processes',
  },
};

type RouteSettingName = 'ingressClass' | 'ingressAnnotations' | 'httpRouteParent';

/** What a controller is told at start. */
export interface ControllerConfig extends SharedConfig {
  readonly dataDirectory: string;
  /** As `parseBlobLocation` reads it; `undefined`: artifacts that are lost are made again. */
  readonly artifactsBucket: string | undefined;
  readonly runnersPort: number;
  readonly runnersUrl: string;
  readonly gatewaysPort: number;
  readonly apiPort: number;
  readonly aggregatedApi: boolean;
  /** `undefined`: it is not labelled. */
  readonly podName: string | undefined;
  readonly gatewayUrl: string;
  /** As `parseEventsLog` reads it. */
  readonly eventsLog: string;
  readonly kyma: boolean;
  readonly kubeless: boolean;
  /** For triggers that do not say it; judged by the schema of Triggers. */
  readonly kubelessKafka: string;
  readonly kubelessNats: string;
  readonly asyncCalls: boolean;
  /** As `parseCallbackRule` reads it. */
  readonly callbackHosts: string;
  readonly routes: RouteSettings;
  readonly customMetrics: boolean;
  readonly externalMetrics: boolean;
  /** `undefined`: nobody is told where it is. */
  readonly podIp: string | undefined;
  readonly registry: string | undefined;
  readonly functionNetworkPolicies: boolean;
  readonly sharedNetwork: boolean;
}

interface SharedConfig {
  readonly systemNamespace: string;
  readonly host: string;
  readonly healthPort: number;
  /** `undefined`: it names itself. */
  readonly replica: string | undefined;
  readonly bodyBytesMax: number;
  readonly logLevel: LogLevel;
}

/** Every setting of `fnlet gateway`. */
export const gatewaySettings: Readonly<Record<keyof GatewayConfig, Setting>> = {
  ...shared,
  httpPort: port('http-port', clusterPorts.http, 'port where functions are called'),
  insidePort: port(
    'inside-port',
    clusterPorts.inside,
    'port where those inside call them, internal ones as well',
  ),
  controllerUrl: text(
    'controller-url',
    `https://${service}:${clusterPorts.gateways}`,
    'where the controller that leads is',
  ),
  controllerTokenFile: text(
    'controller-token-file',
    controllerTokenFile,
    'file with the token that the controller is shown',
  ),
  authorityFile: text(
    'authority-file',
    authorityFile,
    'file with the certificate that the controller is trusted by',
  ),
  trustedProxies: text(
    'trusted-proxies',
    '0',
    'proxies before the Gateway whose X-Forwarded fields are believed: how many, or CIDRs',
  ),
  accessLog: text(
    'access-log',
    'off',
    'where the Gateway writes a line about each request: off, stdout, stderr or a file',
  ),
};

/** What a Gateway is told at start. */
export interface GatewayConfig extends SharedConfig {
  readonly httpPort: number;
  readonly insidePort: number;
  readonly controllerUrl: string;
  readonly controllerTokenFile: string;
  readonly authorityFile: string;
  /** As `parseTrustedProxies` reads it. */
  readonly trustedProxies: string;
  /** `off`, `stdout`, `stderr` or the path of a file. */
  readonly accessLog: string;
}

/**
 * Resolves the configuration of a controller.
 *
 * @throws FnletError `InvalidConfig`, naming the flag or variable, what was found and expected.
 */
export function resolveControllerConfig(source: ConfigSource): ControllerConfig {
  const read = (setting: Setting) => readSetting(setting, source);
  const its = controllerSettings;
  return {
    ...resolveShared(source),
    dataDirectory: parseText(read(its.dataDirectory)),
    artifactsBucket: unless('none', parseText(read(its.artifactsBucket))),
    runnersPort: parsePort(read(its.runnersPort)),
    runnersUrl: parseText(read(its.runnersUrl)),
    gatewaysPort: parsePort(read(its.gatewaysPort)),
    apiPort: parsePort(read(its.apiPort)),
    aggregatedApi: parseSwitch(read(its.aggregatedApi)),
    podName: unless('none', parseText(read(its.podName))),
    gatewayUrl: parseHttpUrl(read(its.gatewayUrl)),
    eventsLog: parseText(read(its.eventsLog)),
    asyncCalls: parseSwitch(read(its.asyncCalls)),
    callbackHosts: parseText(read(its.callbackHosts)),
    routes: resolveRouteSettings({
      ingressClass: parseText(read(its.ingressClass)),
      ingressAnnotations: parseText(read(its.ingressAnnotations)),
      httpRouteParent: parseText(read(its.httpRouteParent)),
    }),
    kyma: parseSwitch(read(its.kyma)),
    kubeless: parseSwitch(read(its.kubeless)),
    kubelessKafka: parseText(read(its.kubelessKafka)),
    kubelessNats: parseText(read(its.kubelessNats)),
    customMetrics: parseSwitch(read(its.customMetrics)),
    externalMetrics: parseSwitch(read(its.externalMetrics)),
    podIp: unless('none', parseText(read(its.podIp))),
    registry: unless('none', parseText(read(its.registry))),
    functionNetworkPolicies: parseSwitch(read(its.functionNetworkPolicies)),
    sharedNetwork: parseSwitch(read(its.sharedNetwork)),
  };
}

/**
 * Resolves the configuration of a Gateway.
 *
 * @throws FnletError `InvalidConfig`, naming the flag or variable, what was found and expected.
 */
export function resolveGatewayConfig(source: ConfigSource): GatewayConfig {
  const read = (setting: Setting) => readSetting(setting, source);
  const its = gatewaySettings;
  return {
    ...resolveShared(source),
    httpPort: parsePort(read(its.httpPort)),
    insidePort: parsePort(read(its.insidePort)),
    controllerUrl: parseText(read(its.controllerUrl)),
    controllerTokenFile: parseText(read(its.controllerTokenFile)),
    authorityFile: parseText(read(its.authorityFile)),
    trustedProxies: parseText(read(its.trustedProxies)),
    accessLog: parseText(read(its.accessLog)),
  };
}

function resolveShared(source: ConfigSource): SharedConfig {
  const read = (setting: Setting) => readSetting(setting, source);
  return {
    systemNamespace: parseText(read(shared.systemNamespace)),
    host: parseText(read(shared.host)),
    healthPort: parsePort(read(shared.healthPort)),
    replica: unless('auto', parseText(read(shared.replica))),
    bodyBytesMax: parseBytes(read(shared.bodyBytesMax)),
    logLevel: parseLogLevel(read(shared.logLevel)),
  };
}

function unless(word: string, given: string): string | undefined {
  return given === word ? undefined : given;
}
