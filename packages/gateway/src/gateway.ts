/**
 * The HTTP data plane: owns the listening sockets, the client connections, the routes, and what
 * stands behind each Revision.
 *
 * I1. Every request that was read completely gets an answer, or its connection is cut.
 * I2. A route or an endpoint takes effect for the next request, by one assignment.
 * I3. Without connections and calls nothing runs: no timer, no socket but the listening one.
 */
import {
  type Clock,
  LoadMeter,
  type Logger,
  type MetricFamily,
  type Random,
  seededRandom,
  sleep,
} from '@fnlet/base';
import type { Invoker } from '@fnlet/invocation';
import type { Demand } from '@fnlet/scaling';
import { AccessLog } from './access-log/access-log.ts';
import type { LineWriter } from './access-log/line-sink.ts';
import { Activator } from './activator.ts';
import { Balancer } from './balancer.ts';
import { ClientConnection, type ClientContext } from './client-connection.ts';
import { DeadlineSweep } from './deadline-sweep.ts';
import type {
  Certificate,
  CertificateErrorCode,
  CertificateSource,
} from './fronts/certificate-table.ts';
import { Fronts, type ListenAddress, type ListenErrorCode } from './fronts/fronts.ts';
import type { Caller } from './fronts/wire.ts';
import { ByteBudget } from './inner/byte-budget.ts';
import { InnerCalls } from './inner/inner-calls.ts';
import type { Responder } from './inner/responder.ts';
import { fixedLimits, type GatewayLimits, resolveGatewayLimits } from './limits.ts';
import { type CallReader, CallRecords } from './metering/call-records.ts';
import { gatewayMetrics } from './metering/gateway-metrics.ts';
import { OwnAnswers } from './metering/own-answers.ts';
import { type TrustedProxies, trustNobody } from './policy/client-address.ts';
import { type Endpoint, type Outage, type Route, routeRevisions } from './route.ts';
import type { HttpRoute } from './routing/http-route.ts';
import { Router } from './routing/router.ts';
import type { ServiceName } from './routing/service-table.ts';
import { CallTracer } from './trace.ts';
import type { Tracing } from './tracing/tracing.ts';
import { type MirrorCounts, Mirrors } from './traffic/mirrors.ts';
import type { Observation } from './traffic/observation.ts';
import { Splitter } from './traffic/splitter.ts';

export interface GatewayOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /**
   * A Revision needs attention: a call of it was parked, or its first call after a pause came.
   * Runs in the tick of that call, and often: take a note and return.
   */
  readonly onDemand: (revisionId: string) => void;
  /**
   * An Instance let a call run out of time and answered nothing else meanwhile: its thread is
   * stuck, and every further call of it would be lost. Told once per call that found out.
   */
  readonly onUnresponsive?: (revisionId: string, endpointId: string) => void;
  /**
   * The namespace of the Instance that calls from this address, if it is one: there, a Function may
   * be called by its name alone.
   */
  readonly namespaceOf?: (remoteAddress: string) => string | undefined;
  /**
   * Takes calls that are to be answered later (`Prefer: respond-async`, or `/async` before the
   * path), and what is asked about them under `/-/calls`. Default: nobody, and the preference is
   * not heeded.
   */
  readonly later?: Responder;
  /** Whether `later` takes calls now; else they are treated as if there were none. Default: always. */
  readonly takesLater?: () => boolean;
  /**
   * Is asked from inside, under `/-/routes/<namespace>/<name>[/<port>]`, what the name of a Service
   * leads to that is no Function's. Default: nobody, and there is no such name.
   */
  readonly serviceNames?: Responder;
  /**
   * Which proxies before the Gateway are believed in X-Forwarded-For and its like, of which nothing
   * that others say reaches functions. Default: none.
   */
  readonly trustedProxies?: TrustedProxies;
  /** Takes a line of JSON about each request, when it is over. Default: nothing is written. */
  readonly accessLog?: LineWriter;
  /**
   * Makes spans of requests, which those of their Instances are children of. Default: nobody, and
   * Instances are told the positions in traces that callers have.
   */
  readonly tracing?: Tracing;
  /**
   * Until it resolves, whoever connects waits: routes are not known yet, so that nobody is to be
   * told that there is none. Default: nobody waits.
   */
  readonly opened?: Promise<void>;
  /**
   * Whether the routes are known to be those that count now. While they are not, who asks for what
   * has no route is told to try again (503), not that there is nothing (404). Default: always.
   */
  readonly isCurrent?: () => boolean;
  /** Told when many calls a second come, and when they do no more. Default: nobody wants to know. */
  readonly onLoad?: (isBusy: boolean) => void;
  /** Replaces single limits. */
  readonly limits?: Partial<GatewayLimits>;
}

/** Routes requests to Instances and holds them while Instances wake. */
export interface Gateway extends AsyncDisposable {
  /**
   * Starts to take requests; returns the address with the port that was picked.
   *
   * @throws FnletError `ListenFailed`
   */
  listen(address: ListenAddress): Promise<ListenAddress>;
  /**
   * Starts to take requests from inside, too: from Instances, and from the API's proxy. They call
   * every Function by its names, those that are internal as well.
   *
   * @throws FnletError `ListenFailed`
   */
  listenInside(address: ListenAddress): Promise<ListenAddress>;
  /**
   * Starts to take requests over TLS, too, with HTTP/1.1 and HTTP/2. `source` is asked where no
   * certificate was set.
   *
   * @throws FnletError `ListenFailed`
   */
  listenTls(address: ListenAddress, source: CertificateSource): Promise<ListenAddress>;
  /**
   * Replaces the certificates by host (`www.example.com`, `*.example.com`); the exact host wins.
   * Whoever is connected stays.
   *
   * @throws FnletError `CertificateBroken`; then nothing is replaced.
   */
  setCertificates(certificates: ReadonlyMap<string, Certificate>): void;
  /** Replaces all routes at once. */
  setRoutes(routes: Iterable<Route>): void;
  /** Adds the route of one Function or replaces it. */
  setRoute(route: Route): void;
  /** Whether a route is for this host, or a Function is called by it. */
  answersAt(host: string): boolean;
  /** Removes the route of one Function; calls in flight go on. */
  removeRoute(namespace: string, name: string): void;
  /** Replaces all routes by host and path at once. */
  setHttpRoutes(routes: Iterable<HttpRoute>): void;
  /** Adds a route by host and path, or replaces the one with its id. */
  setHttpRoute(route: HttpRoute): void;
  /** Removes the route with this id; calls in flight go on. */
  removeHttpRoute(id: string): void;
  /** Answers requests from inside for the name of a Service; a Function of that name goes first. */
  setService(name: ServiceName, responder: Responder): void;
  /** Removes the name of a Service; requests that are being answered go on. */
  removeService(name: ServiceName): void;
  /** Has requests to paths below `/-/events/` answered, whoever sends them. Default: nobody does. */
  setEventSinks(responder: Responder): void;
  /**
   * Says which Instances of a Revision are ready now, and which start. New ready ones get the calls
   * that wait; those that are missing get no further call, and {@link Gateway.drained} tells when
   * their last one is over. With an `outage`, calls that could not wait for its end are answered 503
   * at once.
   */
  setEndpoints(revisionId: string, endpoints: readonly Endpoint[], outage?: Outage): void;
  /**
   * Says how many Gateways, this one included, are in the zone of this one: each takes its part of
   * what near Instances may have. Default 1.
   */
  setNearGateways(count: number): void;
  /**
   * Resolves once an endpoint that was removed has no call in flight (at once if unknown). Answers
   * that would go on, which are WebSockets and server-sent events, are ended as their protocols
   * have it, early enough to be over within `withinMs`; other calls take their time.
   */
  drained(revisionId: string, endpointId: string, withinMs: number): Promise<void>;
  /** Calls Functions from within this process. */
  readonly invoke: Invoker;
  /** What the Gateway measures for every Revision that it knows. */
  demand(): ReadonlyMap<string, Demand>;
  /** What it measures for one Revision; zeros when nobody called it. */
  demandOf(revisionId: string): Demand;
  /**
   * What became of the calls of a Revision since it is one of several of its Function; `undefined`
   * when it is not, or nobody called it since.
   */
  observe(revisionId: string): Observation | undefined;
  /** What became of the copies of calls, of all routes together. */
  mirrored(): MirrorCounts;
  /**
   * What was counted since it was made, and how it stands now. A Revision is told about as long as
   * a route names it, or calls of it are in progress.
   */
  metrics(): readonly MetricFamily[];
  /**
   * Takes no new connections, ends WebSockets and server-sent events, waits up to `graceMs` for calls
   * in flight, then cuts the rest.
   */
  close(options: { readonly graceMs: number }): Promise<void>;
}

export type GatewayErrorCode = ListenErrorCode | CertificateErrorCode;

/** Makes a Gateway that does not listen yet. */
export function createGateway(options: GatewayOptions): Gateway {
  return new HttpGateway(options);
}

class HttpGateway implements Gateway {
  readonly #clock: Clock;
  readonly #router: Router;
  readonly #splitter: Splitter;
  readonly #mirrors: Mirrors;
  readonly #balancer: Balancer;
  readonly #activator: Activator;
  readonly #context: ClientContext;
  readonly #fronts: Fronts;
  readonly #sweep: DeadlineSweep;
  readonly #connections = new Set<ClientConnection>();
  readonly #limits: GatewayLimits;
  readonly #inner: InnerCalls;
  readonly #ownAnswers = new OwnAnswers();
  readonly #load: LoadMeter | undefined;
  readonly invoke: Invoker;
  #closing = false;
  #onEmpty: (() => void) | undefined;

  constructor(options: GatewayOptions) {
    const { clock, random, logger, onDemand, onUnresponsive, limits: overrides } = options;
    const { trustedProxies = trustNobody } = options;
    const limits = resolveGatewayLimits(overrides);
    const { accessLog: lines, tracing } = options;
    this.#clock = clock;
    this.#limits = limits;
    this.#load = createLoadMeter(clock, options.onLoad);
    this.#sweep = new DeadlineSweep(clock, limits.sweepMs);
    const readBuffer = Buffer.allocUnsafeSlow(fixedLimits.readBytesMax);
    // What is asked for every call needs no secrecy, only speed.
    const fastRandom = seededRandom(Math.floor(random.next() * 2 ** 32));
    this.#balancer = new Balancer(fastRandom);
    this.#activator = new Activator({
      clock,
      balancer: this.#balancer,
      limits,
      readBuffer,
      onDemand,
      isRouted: (revisionId) => this.#router.functions.names(revisionId),
    });
    this.#splitter = new Splitter(fastRandom);
    this.#router = new Router({
      namespaceOf: options.namespaceOf ?? (() => undefined),
      splitter: this.#splitter,
      later: () => (options.takesLater?.() === false ? undefined : options.later),
      serviceNames: options.serviceNames,
      trustedProxies,
      isCurrent: options.isCurrent ?? (() => true),
      httpsPort: () => this.#fronts.tlsPort,
    });
    const callTracer = new CallTracer(fastRandom, random);
    const readers: CallReader[] = tracing === undefined ? [] : [tracing];
    if (lines !== undefined) readers.push(new AccessLog(lines, trustedProxies));
    const exchanges = {
      activator: this.#activator,
      limits,
      monotonicMs: () => clock.monotonicMs(),
      closing: () => this.#closing,
      onUnresponsive: onUnresponsive ?? (() => {}),
    };
    this.#mirrors = new Mirrors(exchanges, fastRandom, this.#sweep);
    this.#context = {
      ...exchanges,
      mirrors: this.#mirrors,
      onOwnAnswer: (answer) => this.#ownAnswers.count(answer),
      tracer: tracing?.tracer(callTracer) ?? callTracer,
      trustedProxies,
      records: readers.length === 0 ? undefined : new CallRecords(clock, readers),
      resolve: (head, client) => this.#noted().resolve(head, client),
      onClosed: (connection) => this.#onClosed(connection),
      budget: new ByteBudget(limits.receptionBytesMax),
    };
    this.#inner = new InnerCalls({ ...this.#context, callTracer }, this.#sweep, (call, head) =>
      this.#noted().resolveCall(call, head),
    );
    this.invoke = (invocation, signal) => this.#inner.invoke(invocation, signal);
    this.#fronts = new Fronts({
      limits,
      logger,
      monotonicMs: exchanges.monotonicMs,
      sweep: this.#sweep,
      readBuffer,
      serve: (caller) => this.#serve(caller),
      onLeft: () => this.#onLeft(),
      opened: options.opened,
    });
  }

  listen(address: ListenAddress): Promise<ListenAddress> {
    return this.#fronts.listen(address, false);
  }

  listenInside(address: ListenAddress): Promise<ListenAddress> {
    return this.#fronts.listen(address, true);
  }

  listenTls(address: ListenAddress, source: CertificateSource): Promise<ListenAddress> {
    return this.#fronts.listenTls(address, source);
  }

  setCertificates(certificates: ReadonlyMap<string, Certificate>): void {
    this.#fronts.setCertificates(certificates);
  }

  setRoutes(routes: Iterable<Route>): void {
    this.#router.functions.replace(routes);
    this.#activator.forgetAllUnused();
  }

  setRoute(route: Route): void {
    this.#forget(this.#router.functions.set(route), route);
  }

  removeRoute(namespace: string, name: string): void {
    const before = this.#router.functions.remove(namespace, name);
    for (const id of before === undefined ? [] : routeRevisions(before))
      this.#activator.dismiss(id);
    this.#forget(before, undefined);
  }

  answersAt(host: string): boolean {
    return this.#router.answersAt(host);
  }

  setHttpRoutes(routes: Iterable<HttpRoute>): void {
    this.#router.http.replace(routes);
  }

  setHttpRoute(route: HttpRoute): void {
    this.#router.http.set(route);
  }

  removeHttpRoute(id: string): void {
    this.#router.http.remove(id);
  }

  setService(name: ServiceName, responder: Responder): void {
    this.#router.services.set(name, responder);
  }

  removeService(name: ServiceName): void {
    this.#router.services.remove(name);
  }

  setEventSinks(responder: Responder): void {
    this.#router.eventSinks = responder;
  }

  setEndpoints(revisionId: string, endpoints: readonly Endpoint[], outage?: Outage): void {
    this.#activator.setEndpoints(revisionId, endpoints, outage);
  }

  setNearGateways(count: number): void {
    this.#balancer.nearGateways = Math.max(1, count);
  }

  drained(revisionId: string, endpointId: string, withinMs: number): Promise<void> {
    return this.#activator.drained(revisionId, endpointId, withinMs);
  }

  demand(): ReadonlyMap<string, Demand> {
    return this.#activator.demand();
  }

  demandOf(revisionId: string): Demand {
    return this.#activator.demandOf(revisionId);
  }

  observe(revisionId: string): Observation | undefined {
    return this.#splitter.observe(revisionId);
  }

  mirrored(): MirrorCounts {
    return this.#mirrors.counts();
  }

  metrics(): readonly MetricFamily[] {
    return gatewayMetrics({
      activator: this.#activator,
      ownAnswers: this.#ownAnswers,
      mirrored: this.mirrored(),
      connections: this.#connections.size,
      heldBytes: this.#context.budget.bytes,
    });
  }

  async close({ graceMs }: { readonly graceMs: number }): Promise<void> {
    this.#closing = true;
    const closed = this.#fronts.close();
    for (const connection of this.#connections) connection.close();
    this.#activator.endStreams();
    if (this.#connections.size + this.#fronts.size > 0) {
      const grace = new AbortController();
      this.#onEmpty = () => grace.abort();
      await sleep(this.#clock, graceMs, grace.signal);
    }
    for (const connection of this.#connections) connection.destroy();
    this.#fronts.destroy();
    this.#mirrors.close();
    this.#inner.close();
    this.#activator.close();
    await closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close({ graceMs: 0 });
  }

  /** Knows where calls go; each that asks is one that came. */
  #noted(): Router {
    this.#load?.note();
    return this.#router;
  }

  #serve(caller: Caller): boolean {
    if (this.#connections.size >= this.#limits.connectionsMax) return false;
    const connection = new ClientConnection(caller, this.#context);
    this.#connections.add(connection);
    this.#sweep.watch(connection);
    return true;
  }

  #onClosed(connection: ClientConnection): void {
    this.#connections.delete(connection);
    this.#sweep.unwatch(connection);
    this.#onLeft();
  }

  #onLeft(): void {
    if (this.#connections.size + this.#fronts.size === 0) this.#onEmpty?.();
  }

  #forget(before: Route | undefined, after: Route | undefined): void {
    if (before === undefined) return;
    for (const revision of routeRevisions(before)) this.#activator.forgetUnused(revision);
    this.#splitter.onReplaced(before, after);
  }
}

function createLoadMeter(
  clock: Clock,
  onChange: ((isBusy: boolean) => void) | undefined,
): LoadMeter | undefined {
  if (onChange === undefined) return undefined;
  const { busyCallsPerSecond: busyPerSecond, quietSeconds } = fixedLimits;
  return new LoadMeter({ clock, busyPerSecond, quietSeconds, onChange });
}
