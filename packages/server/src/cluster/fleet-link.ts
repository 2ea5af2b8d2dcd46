/**
 * The way of one Gateway to the controller that leads.
 *
 * I1. Without a controller the Gateway goes on with what it was told last.
 * I2. The first call of a Revision is told of in the tick in which it comes; what else was measured
 *     every `demandReportMs` while it is called. Who is not called costs nothing.
 * I3. What a new controller does not speak of is kept for a while: it takes over Instances as they
 *     come back to it. After that it is gone, and a call would ask for it.
 */
import type { Duplex } from 'node:stream';
import {
  backoffDelayMs,
  type Clock,
  errorMessage,
  type Logger,
  sleep,
  type Timer,
} from '@fnlet/base';
import { type Endpoint, type Gateway, type Route, routeRevisions } from '@fnlet/gateway';
import type { Demand } from '@fnlet/scaling';
import type { FleetDial } from './fleet-dial.ts';
import {
  type FleetOrder,
  type FleetReport,
  type PublishedOrder,
  parseFleetOrder,
  type ReportedDemand,
  type ReportedDemands,
} from './fleet-message.ts';
import {
  demandReportMs,
  demandSoonMs,
  fleetDoubtMs,
  fleetRetryBaseMs,
  fleetRetryCapMs,
  observationReportMs,
  unconfirmedMs,
} from './limits.ts';
import { LineSocket } from './line-socket.ts';

type LinkedGateway = Pick<
  Gateway,
  | 'setRoute'
  | 'setRoutes'
  | 'removeRoute'
  | 'setEndpoints'
  | 'setNearGateways'
  | 'drained'
  | 'demand'
  | 'demandOf'
  | 'observe'
>;

export interface FleetLinkOptions {
  /** The way to the controller that leads. */
  readonly dial: FleetDial;
  /** Name of this Gateway, of its Pod for example. */
  readonly replica: string;
  readonly gateway: LinkedGateway;
  /** Told what there is besides Functions. Default: nobody. */
  readonly onPublished?: (order: PublishedOrder) => void;
  /** Told of the key of each connection, and when that does not count any more. Default: nobody. */
  readonly onKey?: (key: string | undefined) => void;
  readonly clock: Clock;
  readonly logger: Logger;
}

export class FleetLink {
  readonly #options: FleetLinkOptions;
  readonly #told = Promise.withResolvers<void>();
  readonly #routes = new Map<string, Route>();
  readonly #endpoints = new Map<string, readonly Endpoint[]>();
  #parts: Route[] = [];
  #unconfirmed = new Set<string>();
  #unconfirmedTimer: Timer | undefined;
  #connection: LineSocket | undefined;
  /** Whether all was told on this connection. */
  #isComplete = false;
  /** Revisions that were called for, of which the controller has not heard. */
  readonly #called = new Set<string>();
  /** Revisions that are being called, as far as is known. */
  readonly #active = new Set<string>();
  readonly #judged = new Map<string, number>();
  #reportTimer: Timer | undefined;
  #soonTimer: Timer | undefined;
  #judgeTimer: Timer | undefined;

  constructor(options: FleetLinkOptions) {
    this.#options = options;
  }

  /** Resolves when a controller has told all for the first time. */
  get told(): Promise<void> {
    return this.#told.promise;
  }

  /** The Gateway's `isCurrent`: whether the controller that leads has told all, and is heard. */
  get isCurrent(): boolean {
    return this.#isComplete && (this.#connection?.silentMs ?? Infinity) <= fleetDoubtMs;
  }

  /** The Gateway's `onDemand`. */
  onDemand(revisionId: string): void {
    if (this.#active.has(revisionId)) {
      // Only what waits is pressing: how much there is of the rest is told in time.
      if (this.#options.gateway.demandOf(revisionId).queued === 0) return;
      this.#called.add(revisionId);
      this.#soonTimer ??= this.#options.clock.after(demandSoonMs, () => this.#report());
      return;
    }
    // I2: calls of one tick are one word.
    if (this.#called.size === 0) queueMicrotask(() => this.#report());
    this.#called.add(revisionId);
    this.#active.add(revisionId);
    this.#scheduleReport();
  }

  /** The Gateway's `onUnresponsive`. */
  onUnresponsive(revision: string, endpoint: string): void {
    this.#send({ type: 'stuck', revision, endpoint });
  }

  /** Connects, and connects again, until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, logger } = this.#options;
    let failures = 0;
    while (!signal.aborted) {
      try {
        const socket = await this.#options.dial(signal);
        failures = 0;
        logger.info('Connected to the controller');
        await this.#serve(socket, signal);
        if (!signal.aborted) logger.info('The controller is gone; calls go on');
      } catch (error) {
        if (signal.aborted) break;
        failures += 1;
        if (failures === 1) {
          logger.warn('Cannot reach the controller', { error: errorMessage(error) });
        }
      }
      const backoff = { baseMs: fleetRetryBaseMs, capMs: fleetRetryCapMs };
      await sleep(clock, backoffDelayMs(Math.max(1, failures), backoff), signal);
    }
    this.#unconfirmedTimer?.cancel();
  }

  async #serve(socket: Duplex, signal: AbortSignal): Promise<void> {
    const { clock, replica, gateway } = this.#options;
    const over = Promise.withResolvers<void>();
    this.#parts = [];
    this.#isComplete = false;
    this.#unconfirmedTimer?.cancel();
    this.#unconfirmed = new Set(this.#endpoints.keys());
    const connection = new LineSocket(socket, clock, {
      onMessage: (message) => {
        const order = parseFleetOrder(message);
        if (order !== undefined) this.#obey(order);
      },
      onClosed: () => over.resolve(),
    });
    const stop = (): void => connection.close();
    signal.addEventListener('abort', stop, { once: true });
    this.#judged.clear();
    const measured = gateway.demand();
    for (const [revision, { inFlight, queued }] of measured) {
      if (inFlight + queued > 0) this.#active.add(revision);
    }
    const demand = this.#measurements(measured);
    connection.send({ type: 'hello', replica, demand } satisfies FleetReport);
    this.#connection = connection;
    this.#scheduleReport();
    this.#scheduleJudgement();
    await over.promise;
    this.#connection = undefined;
    this.#options.onKey?.(undefined);
    for (const timer of [this.#reportTimer, this.#soonTimer, this.#judgeTimer]) timer?.cancel();
    this.#reportTimer = undefined;
    this.#soonTimer = undefined;
    signal.removeEventListener('abort', stop);
  }

  #obey(order: FleetOrder): void {
    const { gateway } = this.#options;
    switch (order.type) {
      case 'routes':
        this.#parts.push(...order.routes);
        if (!order.isLast) return;
        this.#routes.clear();
        for (const route of this.#parts) this.#routes.set(keyOf(route), route);
        gateway.setRoutes(this.#parts);
        this.#parts = [];
        break;
      case 'route':
        this.#routes.set(keyOf(order.route), order.route);
        gateway.setRoute(order.route);
        break;
      case 'routeRemoved':
        this.#routes.delete(`${order.namespace}/${order.function}`);
        gateway.removeRoute(order.namespace, order.function);
        break;
      case 'endpoints':
        this.#setEndpoints(order);
        break;
      case 'zone':
        gateway.setNearGateways(order.gateways);
        break;
      case 'complete':
        this.#onComplete();
        break;
      case 'drain':
        void gateway.drained(order.revision, order.endpoint, order.withinMs).then(() => {
          this.#send({ type: 'drained', id: order.id });
        });
        break;
      case 'key':
        this.#options.onKey?.(order.key);
        break;
      default:
        this.#options.onPublished?.(order);
    }
  }

  #setEndpoints(order: Extract<FleetOrder, { readonly type: 'endpoints' }>): void {
    const { revision, endpoints, starting = [], outage } = order;
    this.#unconfirmed.delete(revision);
    if (endpoints.length === 0) this.#endpoints.delete(revision);
    else this.#endpoints.set(revision, endpoints);
    const ahead = starting.map((endpoint): Endpoint => ({ ...endpoint, starting: true }));
    this.#options.gateway.setEndpoints(revision, [...endpoints, ...ahead], outage);
  }

  // I3
  #onComplete(): void {
    this.#told.resolve();
    this.#isComplete = true;
    this.#unconfirmedTimer = this.#options.clock.after(unconfirmedMs, () => {
      for (const revision of this.#unconfirmed) {
        this.#endpoints.delete(revision);
        this.#options.gateway.setEndpoints(revision, []);
      }
      this.#unconfirmed.clear();
    });
  }

  #scheduleReport(): void {
    if (this.#connection === undefined || this.#active.size === 0) return;
    this.#reportTimer ??= this.#options.clock.after(demandReportMs, () => {
      this.#reportTimer = undefined;
      this.#report(this.#active);
      for (const revision of [...this.#active]) {
        const { inFlight, queued } = this.#options.gateway.demandOf(revision);
        if (inFlight + queued === 0) this.#active.delete(revision);
      }
      this.#scheduleReport();
    });
  }

  /** What was called for is all that a wake needs; the rest has its time. */
  #report(revisions: Iterable<string> = this.#called): void {
    // Who connects says first what waits.
    if (this.#connection === undefined) this.#called.clear();
    if (this.#connection === undefined) return;
    this.#soonTimer?.cancel();
    this.#soonTimer = undefined;
    const called = [...this.#called];
    const { gateway } = this.#options;
    const measured = [...revisions].map((id): [string, Demand] => [id, gateway.demandOf(id)]);
    this.#called.clear();
    const demand = this.#measurements(measured);
    if (called.length > 0 || Object.keys(demand).length > 0) {
      this.#send({ type: 'demand', demand, called });
    }
  }

  #measurements(measured: Iterable<readonly [string, Demand]>): ReportedDemands {
    const now = this.#options.clock.now();
    const changes: Record<string, ReportedDemand> = {};
    for (const [revision, { lastActiveMs, ...counters }] of measured) {
      changes[revision] = { ...counters, idleMs: Math.max(0, now - lastActiveMs) };
    }
    return changes;
  }

  #scheduleJudgement(): void {
    this.#judgeTimer = this.#options.clock.after(observationReportMs, () => {
      this.#judge();
      if (this.#connection !== undefined) this.#scheduleJudgement();
    });
  }

  /** Tells what became of the calls of Functions that have several Revisions. */
  #judge(): void {
    for (const route of this.#routes.values()) {
      if (route.split === undefined) continue;
      for (const revision of routeRevisions(route)) {
        const observation = this.#options.gateway.observe(revision);
        if (observation === undefined || this.#judged.get(revision) === observation.calls) continue;
        this.#judged.set(revision, observation.calls);
        const latencies = Array.from(observation.latencies);
        this.#send({ type: 'observed', revision, observation: { ...observation, latencies } });
      }
    }
  }

  #send(report: FleetReport): void {
    this.#connection?.send(report);
  }
}

function keyOf({ namespace, function: name }: Route): string {
  return `${namespace}/${name}`;
}
