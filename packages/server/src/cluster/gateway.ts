/**
 * A Gateway of a cluster: the data plane of an embedded Fnlet as a process of its own, told by the
 * controller that leads where calls go.
 *
 * I1. Nobody is answered before a controller has told all routes: there is no 404 for what is only
 *     not known yet. While no controller is heard it is a 503.
 * I2. A controller that ends or changes is not noticed by callers of what is awake.
 */
import { createCache } from '@fnlet/client';
import { createGateway, type Gateway, type GatewayOptions } from '@fnlet/gateway';
import { createJsonFetcher } from '@fnlet/gateway/policies';
import { decideTraceTarget } from '@fnlet/invocation';
import type { KubeObject, ResourceType } from '@fnlet/machinery';
import { openAccessLog } from '../access-log.ts';
import { asyncBodyBytesMax, gatewayGraceMs } from '../limits.ts';
import { readTrustedProxies } from '../read-trusted-proxies.ts';
import {
  aborted,
  type ClusterProcessOptions,
  clientOf,
  Loops,
  latch,
  nameReplica,
  serveHealth,
} from './cluster-process.ts';
import { ControllerRelay } from './controller-relay.ts';
import { createFleetDial } from './fleet-dial.ts';
import { FleetLink } from './fleet-link.ts';
import { eventSinkBytesMax } from './limits.ts';
import { PublishedRoutes } from './published-routes.ts';
import { RequestCounter } from './request-counter.ts';
import type { GatewayConfig } from './settings.ts';

export type GatewayProcessOptions = ClusterProcessOptions<GatewayConfig>;

/**
 * Runs one replica until `signal` aborts; then calls in flight may finish.
 *
 * @throws FnletError `ListenFailed`, `LoopFailed`, `InvalidConfig`
 */
export async function runGateway(given: GatewayProcessOptions, signal: AbortSignal): Promise<void> {
  const requests = new RequestCounter();
  const options = { ...given, transport: requests.over(given.transport) };
  const { config, clock, random, logger } = options;
  await using stack = new AsyncDisposableStack();
  const loops = new Loops();
  const told = latch('routes', 'no controller has told the routes yet');
  const opened = Promise.withResolvers<void>();
  const accessLog = openAccessLog(config.accessLog, logger);
  if (accessLog !== undefined) stack.use(accessLog);
  const namespaceOf = followPods(options, loops);
  const relay = stack.use(new ControllerRelay({ controller: config.controllerUrl, clock }));
  const trustedProxies = readTrustedProxies(config.trustedProxies);
  const tracing = await openTracing(options, stack, trustedProxies);
  const gateway: Gateway = createGateway({
    ...{ clock, random, logger, namespaceOf },
    later: relay.responder({ kind: 'later' }, asyncBodyBytesMax),
    takesLater: () => published.takesLater,
    onDemand: (revision) => link.onDemand(revision),
    onUnresponsive: (revision, endpoint) => link.onUnresponsive(revision, endpoint),
    opened: opened.promise,
    isCurrent: () => link.isCurrent,
    trustedProxies,
    ...(tracing === undefined ? {} : { tracing }),
    ...(accessLog === undefined ? {} : { accessLog: accessLog.lines }),
  });
  const published: PublishedRoutes = new PublishedRoutes({
    ...{ gateway, clock, logger, fetchJson: createJsonFetcher({ clock }) },
    relay: (place, bodyBytesMax) => relay.responder(place, bodyBytesMax),
  });
  gateway.setEventSinks(relay.responder({ kind: 'sinks' }, eventSinkBytesMax));
  const link = createLink(options, { gateway, published, relay });
  const metrics = () => [requests.family(), ...gateway.metrics(), ...published.metrics()];
  stack.use(await serveHealth(options, { readyz: [told], metrics }));
  // What calls need is there until the last of them is over.
  stack.use(loops);
  stack.defer(() => gateway.close({ graceMs: gatewayGraceMs }));
  loops.run('link to the controller', (stop) => link.run(stop));
  const { host, httpPort, insidePort } = config;
  const http = await gateway.listen({ host, port: httpPort });
  const inside = await gateway.listenInside({ host, port: insidePort });
  await Promise.race([link.told, aborted(signal), loops.failed]);
  if (signal.aborted) return;
  told.set();
  opened.resolve();
  logger.info('Serving calls', { port: http.port, insidePort: inside.port });
  await Promise.race([aborted(signal), loops.failed]);
}

/** Has the Gateway send spans, where the environment names a collector. */
async function openTracing(
  options: GatewayProcessOptions,
  stack: AsyncDisposableStack,
  trustedProxies: NonNullable<GatewayOptions['trustedProxies']>,
): Promise<GatewayOptions['tracing']> {
  const target = decideTraceTarget(options.environment);
  if (target === undefined) return undefined;
  const { openGatewayTracing } = await import('../gateway-tracing.ts');
  return openGatewayTracing({ options, stack }, { target, trustedProxies });
}

function createLink(
  { config, clock, random, logger }: GatewayProcessOptions,
  parts: {
    readonly gateway: Gateway;
    readonly published: PublishedRoutes;
    readonly relay: ControllerRelay;
  },
): FleetLink {
  const { gateway, published, relay } = parts;
  let authorityPem = '';
  return new FleetLink({
    dial: createFleetDial({
      controller: config.controllerUrl,
      tokenFile: config.controllerTokenFile,
      authorityFile: config.authorityFile,
      clock,
      onAuthority(pem) {
        authorityPem = pem;
        published.begin();
      },
    }),
    onPublished: (order) => published.obey(order),
    onKey: (key) => relay.setAccess(key === undefined ? undefined : { key, authorityPem }),
    replica: nameReplica(config.replica, random),
    ...{ gateway, clock, logger },
  });
}

const podType: ResourceType = {
  group: '',
  version: 'v1',
  kind: 'Pod',
  plural: 'pods',
  namespaced: true,
};

interface PlacedPod extends KubeObject {
  readonly status?: { readonly podIP?: string };
}

/** Which namespace whoever calls from an address is in, if it is a function. */
function followPods(
  options: GatewayProcessOptions,
  loops: Loops,
): NonNullable<GatewayOptions['namespaceOf']> {
  const { clock, random, logger } = options;
  const pods = createCache<PlacedPod>({
    client: clientOf(options, 'fnlet-gateway'),
    type: podType,
    labelSelector: 'fnlet.dev/revision',
    keep: ['status.podIP'],
    indexes: { address: ({ status }) => (status?.podIP ? [status.podIP] : []) },
    ...{ clock, random, logger },
  });
  loops.run('Pods', (signal) => pods.run(signal));
  return (address) => pods.byIndex('address', address)[0]?.metadata.namespace;
}
