/**
 * What the controller that leads and the Gateways say to each other (decision 054): one JSON
 * document a line, over a connection that the Gateway opens.
 */
import { isJsonObject, type JsonObject } from '@fnlet/base';
import type { Endpoint, HttpRoute, Observation, Outage, Route } from '@fnlet/gateway';
import { type PolicyTerms, parsePolicyTerms } from './policy-terms.ts';

/** Where Gateways find the controller, below its origin, and what both call the protocol. */
export const fleetPath = '/fleet';
export const fleetProtocol = 'fnlet-gateway';

/** What the controller says. */
export type FleetOrder =
  /** A part of all routes; those that no part has are gone with the last. */
  | { readonly type: 'routes'; readonly routes: readonly Route[]; readonly isLast: boolean }
  | { readonly type: 'route'; readonly route: Route }
  | { readonly type: 'routeRemoved'; readonly namespace: string; readonly function: string }
  | {
      readonly type: 'endpoints';
      readonly revision: string;
      readonly endpoints: readonly Endpoint[];
      /** Those that load their code, and hold the calls that come meanwhile. Default: none. */
      readonly starting?: readonly Endpoint[];
      readonly outage?: Outage;
    }
  /** So many Gateways, this one included, are in the zone of this one. Until it is said: 1. */
  | { readonly type: 'zone'; readonly gateways: number }
  /** First of all everything was said that holds now. */
  | { readonly type: 'complete' }
  /** It is to be told once no call of this Instance is in flight. */
  | {
      readonly type: 'drain';
      readonly id: number;
      readonly revision: string;
      readonly endpoint: string;
      readonly withinMs: number;
    }
  /** What the Gateway shows where it passes requests on; first of all, and for this connection. */
  | { readonly type: 'key'; readonly key: string }
  | PublishedOrder;

/** What the controller says besides of Functions: who is answered by whom. */
export type PublishedOrder =
  /** A part of all routes by host and path; those that no part has are gone with the last. */
  | {
      readonly type: 'httpRoutes';
      readonly routes: readonly ToldHttpRoute[];
      readonly isLast: boolean;
    }
  | { readonly type: 'httpRoute'; readonly route: ToldHttpRoute }
  | { readonly type: 'httpRouteRemoved'; readonly id: string }
  /** Whether calls are taken that are answered later. */
  | { readonly type: 'later'; readonly isTaken: boolean }
  /** All names of Services that the controller answers for. */
  | { readonly type: 'names'; readonly names: readonly RelayedName[] };

/** A route by host and path, as it is told. */
export interface ToldHttpRoute extends Omit<HttpRoute, 'target' | 'policy'> {
  /** A Function, or how much of a request is passed on to the controller. */
  readonly target:
    | Extract<HttpRoute['target'], { readonly function: string }>
    | { readonly bodyBytesMax: number };
  readonly policy?: PolicyTerms;
}

/** A name of a Service, and how much of a request to it is passed on. */
export interface RelayedName {
  readonly namespace: string;
  readonly name: string;
  readonly bodyBytesMax: number;
}

/** Whom a request was sent to that is passed on to the controller. */
export type RelayPlace =
  | { readonly kind: 'route'; readonly id: string }
  | { readonly kind: 'service'; readonly namespace: string; readonly name: string }
  /** Paths below `/-/events/`. */
  | { readonly kind: 'sinks' }
  /** Calls that are answered later, and what is asked about them. */
  | { readonly kind: 'later' };

/** What a Gateway measured for one Revision; see `Demand`. */
export interface ReportedDemand {
  readonly inFlight: number;
  readonly queued: number;
  readonly arrivals: number;
  readonly concurrencyMs: number;
  readonly busyMs: number;
  readonly served: number;
  readonly servedMs: number;
  /** How long ago a call last was in flight or queued: clocks differ. */
  readonly idleMs: number;
}

/** What a Gateway says. */
export type FleetReport =
  /** First of all, with what it measured so far. */
  | { readonly type: 'hello'; readonly replica: string; readonly demand: ReportedDemands }
  | {
      readonly type: 'demand';
      readonly demand: ReportedDemands;
      /** Revisions of which a call was parked, or came first after a pause. */
      readonly called: readonly string[];
    }
  | {
      readonly type: 'observed';
      readonly revision: string;
      readonly observation: Observation;
    }
  | { readonly type: 'drained'; readonly id: number }
  /** An Instance lets calls run out of time and answers nothing else. */
  | { readonly type: 'stuck'; readonly revision: string; readonly endpoint: string };

export type ReportedDemands = Readonly<Record<string, ReportedDemand>>;

/** Reads what a Gateway says; `undefined` for what is nothing of the kind. */
export function parseFleetReport(message: JsonObject): FleetReport | undefined {
  const { type } = message;
  if (type === 'hello' || type === 'demand') {
    const { replica, called, demand } = message;
    if (!isRecordOf(demand, isReportedDemand)) return undefined;
    if (type === 'hello') {
      return typeof replica === 'string' ? { type, replica, demand } : undefined;
    }
    return isListOf(called, isText) ? { type, demand, called } : undefined;
  }
  if (type === 'observed') {
    const { revision, observation } = message;
    const isWhole = isText(revision) && isObservation(observation);
    return isWhole ? { type, revision, observation } : undefined;
  }
  if (type === 'drained') {
    return typeof message.id === 'number' ? { type, id: message.id } : undefined;
  }
  const { revision, endpoint } = message;
  const isStuck = type === 'stuck' && isText(revision) && isText(endpoint);
  return isStuck ? { type, revision, endpoint } : undefined;
}

/** Reads what the controller says; `undefined` for what this Gateway does not know. */
export function parseFleetOrder(message: JsonObject): FleetOrder | undefined {
  const { type, namespace, revision } = message;
  switch (type) {
    case 'complete':
      return { type };
    case 'routes': {
      const { routes, isLast } = message;
      return isListOf(routes, isRoute) ? { type, routes, isLast: isLast === true } : undefined;
    }
    case 'route':
      return isRoute(message.route) ? { type, route: message.route } : undefined;
    case 'routeRemoved':
      return isText(namespace) && isText(message.function)
        ? { type, namespace, function: message.function }
        : undefined;
    case 'endpoints': {
      const { endpoints, starting, outage } = message;
      if (!isText(revision) || !isListOf(endpoints, isEndpoint)) return undefined;
      const known = endpoints.map(readNear);
      const ahead = isListOf(starting, isEndpoint) ? { starting: starting.map(readNear) } : {};
      const why = isOutage(outage) ? { outage } : {};
      return { type, revision, endpoints: known, ...ahead, ...why };
    }
    case 'drain': {
      const { id, endpoint, withinMs } = message;
      const isWhole = isCount(id) && isText(revision) && isText(endpoint) && isCount(withinMs);
      return isWhole ? { type, id, revision, endpoint, withinMs } : undefined;
    }
    case 'zone':
      return isCount(message.gateways) ? { type, gateways: message.gateways } : undefined;
    case 'key':
      return isText(message.key) ? { type, key: message.key } : undefined;
    default:
      return parsePublishedOrder(message);
  }
}

function parsePublishedOrder(message: JsonObject): PublishedOrder | undefined {
  const { type, routes, id, names } = message;
  switch (type) {
    case 'httpRoutes': {
      const read = Array.isArray(routes) ? routes.map(readHttpRoute) : [undefined];
      const known = read.filter((route) => route !== undefined);
      const isWhole = known.length === read.length;
      return isWhole ? { type, routes: known, isLast: message.isLast === true } : undefined;
    }
    case 'httpRoute': {
      const route = readHttpRoute(message.route);
      return route === undefined ? undefined : { type, route };
    }
    case 'httpRouteRemoved':
      return isText(id) ? { type, id } : undefined;
    case 'later':
      return { type, isTaken: message.isTaken === true };
    case 'names':
      return isListOf(names, isRelayedName) ? { type, names } : undefined;
    default:
      return undefined;
  }
}

/** JSON has no `undefined`: a segment that is a parameter comes as null. */
function readHttpRoute(value: unknown): ToldHttpRoute | undefined {
  if (!isHttpRoute(value)) return undefined;
  const matches = value.matches.map(({ path, ...match }) => ({
    ...match,
    path: { ...path, segments: path.segments.map((segment) => segment ?? undefined) },
  }));
  const { policy } = value;
  return {
    ...value,
    matches,
    ...(policy === undefined ? {} : { policy: parsePolicyTerms(policy) }),
  };
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}

function isListOf<T>(value: unknown, is: (item: unknown) => item is T): value is readonly T[] {
  return Array.isArray(value) && value.every(is);
}

function isRecordOf<T>(
  value: unknown,
  is: (item: unknown) => item is T,
): value is Readonly<Record<string, T>> {
  return isJsonObject(value) && Object.values(value).every(is);
}

const counters = [
  ...['inFlight', 'queued', 'arrivals', 'concurrencyMs'],
  ...['busyMs', 'served', 'servedMs', 'idleMs'],
];

function isReportedDemand(value: unknown): value is ReportedDemand {
  return isJsonObject(value) && counters.every((name) => isCount(value[name]));
}

function isObservation(value: unknown): value is Observation {
  if (!isJsonObject(value)) return false;
  return isCount(value.calls) && isCount(value.failures) && isListOf(value.latencies, isCount);
}

// Both ends are of one release, or of two that follow each other: what calls need is looked at.
function isRoute(value: unknown): value is Route {
  if (!isJsonObject(value)) return false;
  const { revision, split } = value;
  const hasLimits = ['timeoutMs', 'wakeMs', 'bodyBytesMax', 'concurrencyLimit', 'concurrencyTarget']
    .map((name) => value[name])
    .every(isCount);
  const isNamed = isText(value.namespace) && isText(value.function);
  const isSplit = split === undefined || (isJsonObject(split) && Array.isArray(split.shares));
  return isNamed && hasLimits && isSplit && (revision === undefined || isText(revision));
}

function isHttpRoute(value: unknown): value is ToldHttpRoute {
  if (!isJsonObject(value) || !isText(value.id)) return false;
  const { matches, target } = value;
  const isTarget =
    isJsonObject(target) &&
    (isCount(target.bodyBytesMax) || (isText(target.namespace) && isText(target.function)));
  return isTarget && isListOf(matches, isHttpMatch);
}

function isHttpMatch(value: unknown): value is ToldHttpRoute['matches'][number] {
  if (!isJsonObject(value) || !isText(value.host) || !isJsonObject(value.path)) return false;
  const { segments, end, parameters } = value.path;
  const isPath = Array.isArray(segments) && isText(end) && isListOf(parameters, isText);
  return isPath && isListOf(value.methods, isText);
}

function isRelayedName(value: unknown): value is RelayedName {
  if (!isJsonObject(value)) return false;
  return isText(value.namespace) && isText(value.name) && isCount(value.bodyBytesMax);
}

function isEndpoint(value: unknown): value is Endpoint {
  return isJsonObject(value) && isText(value.id) && isText(value.host) && isCount(value.port);
}

/** What says nothing that is understood says nothing: no call needs it. */
function readNear(endpoint: Endpoint): Endpoint {
  const { near, ...rest } = endpoint;
  return near === undefined || typeof near === 'boolean' ? endpoint : rest;
}

function isOutage(value: unknown): value is Outage {
  if (!isJsonObject(value)) return false;
  return isText(value.reason) && isText(value.message) && isCount(value.retryAfterMs);
}
