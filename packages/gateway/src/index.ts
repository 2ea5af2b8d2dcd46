export { LineSink } from './access-log/line-sink.ts';
export type { Certificate, CertificateSource } from './fronts/certificate-table.ts';
export type { ListenAddress } from './fronts/fronts.ts';
export {
  createGateway,
  type Gateway,
  type GatewayErrorCode,
  type GatewayOptions,
} from './gateway.ts';
export type { ReceivedRequest, Responder, ResponderAnswer } from './inner/responder.ts';
export type { GatewayLimits } from './limits.ts';
export { parseTrustedProxies } from './policy/client-address.ts';
export type { PolicyRequest, RoutePolicy, Verdict } from './policy/route-policy.ts';
export {
  type Endpoint,
  type Outage,
  type Route,
  type RouteSplit,
  routeRevisions,
} from './route.ts';
export type { HttpMatch, HttpRoute } from './routing/http-route.ts';
export {
  formatRoutePath,
  parseRoutePath,
  type RoutePath,
  type WrittenPath,
} from './routing/route-path.ts';
export { CallMeter } from './traffic/call-meter.ts';
export {
  latencyQuantileMs,
  nothingObserved,
  type Observation,
  observationSince,
  withinLatency,
} from './traffic/observation.ts';
