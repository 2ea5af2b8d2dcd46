/**
 * All Gateways of a cluster as the one that the controllers know: what they are told goes to each,
 * what each measured is added up.
 *
 * I1. A Gateway that joins is told everything that holds, and then what changes, in order.
 * I2. A word that changes nothing is not sent.
 * I3. Instances that take so many calls at a time and no more are called by one Gateway each.
 * I4. Who waits for calls to be over does not wait for Gateways that are gone.
 * I5. Which Instances are near is told with them, and again when that changes. Where no zone is
 *     known nothing is told of it.
 * I6. Who has calls that wait is told of an Instance that loads its code and holds calls meanwhile,
 *     so that one may go ahead; nobody else is. Where I3 holds, nobody is.
 */
import { type Clock, jsonEqual } from '@fnlet/base';
import {
  type Endpoint,
  type Gateway,
  type Observation,
  type Outage,
  type Route,
  routeRevisions,
} from '@fnlet/gateway';
import type { Demand } from '@fnlet/scaling';
import { EndpointShares } from './endpoint-shares.ts';
import { FleetDemand, ReplicaDemand } from './fleet-demand.ts';
import type { FleetOrder, FleetReport, ReportedDemands } from './fleet-message.ts';
import { FleetRoutes } from './fleet-routes.ts';
import { FleetZones, noZones, type ZoneMap } from './fleet-zones.ts';
import { drainMarginMs, routesInLineMax, shareLostMs, shareMoveMs } from './limits.ts';

export interface GatewayFleetOptions {
  readonly clock: Clock;
  /** See `GatewayOptions.onDemand`. */
  readonly onDemand: (revisionId: string) => void;
  /** See `GatewayOptions.onUnresponsive`. */
  readonly onUnresponsive: (endpointId: string) => void;
  /** Default: nobody knows of zones. */
  readonly zones?: ZoneMap;
}

/** A Gateway that is connected. */
export interface FleetReplica {
  send(order: FleetOrder): void;
}

/** What a Gateway that joined does from then on. */
export interface FleetMember {
  report(report: Exclude<FleetReport, { readonly type: 'hello' }>): void;
  leave(): void;
}

interface Promised {
  readonly starting: readonly Endpoint[];
  readonly replicas: ReadonlySet<FleetReplica>;
}

interface Standing {
  readonly endpoints: readonly Endpoint[];
  readonly outage?: Outage;
}

type ControlledGateway = Pick<
  Gateway,
  'setRoute' | 'setRoutes' | 'removeRoute' | 'setEndpoints' | 'drained' | 'demandOf' | 'observe'
>;

export class GatewayFleet implements ControlledGateway {
  /** What all of them are told besides of Functions. */
  readonly published: FleetRoutes = new FleetRoutes((order) => this.#tell(order));
  readonly #options: GatewayFleetOptions;
  /** Those that are connected, and what each measured. */
  readonly #replicas = new Map<FleetReplica, ReplicaDemand>();
  readonly #shares = new Map<string, EndpointShares<FleetReplica>>();
  readonly #routes = new Map<string, Route>();
  readonly #endpoints = new Map<string, Standing>();
  /** Of Revisions of which nothing is ready: what starts, and who was told of it. */
  readonly #promised = new Map<string, Promised>();
  readonly #demand = new FleetDemand();
  readonly #zones: FleetZones<FleetReplica>;
  /** Who has not said yet that the calls of an Instance are over, by the number of the question. */
  readonly #drains = new Map<number, { readonly left: Set<FleetReplica>; done: () => void }>();
  #asked = 0;

  constructor(options: GatewayFleetOptions) {
    this.#options = options;
    this.#zones = new FleetZones(options.zones ?? noZones);
  }

  /** How many Gateways are connected. */
  get size(): number {
    return this.#replicas.size;
  }

  /**
   * A Gateway is there, and says what it measured so far.
   *
   * @param node that it runs on; `undefined`: nobody knows
   */
  join(replica: FleetReplica, known: ReportedDemands, node?: string): FleetMember {
    const measured = new ReplicaDemand(known);
    this.#replicas.set(replica, measured);
    this.#zones.join(replica, node);
    this.#tellCounts();
    this.#demand.join(measured, this.#options.clock.now());
    for (const order of this.#picture(replica)) replica.send(order);
    for (const shares of this.#shares.values()) shares.rebalance();
    // A controller that is new here hears what is being called now.
    for (const [revision, { inFlight, queued }] of Object.entries(known)) {
      if (inFlight + queued > 0) this.#options.onDemand(revision);
    }
    return {
      report: (report) => this.#onReport(replica, measured, report),
      leave: () => {
        this.#replicas.delete(replica);
        this.#demand.leave(measured);
        this.#zones.leave(replica);
        this.#tellCounts();
        for (const [revision, shares] of this.#shares) {
          // Who said that no call is under way leaves none behind.
          const isIdle = (measured.demand.get(revision)?.inFlight ?? 0) === 0;
          if (isIdle) shares.leave(replica);
          else this.#options.clock.after(shareLostMs, () => shares.leave(replica));
        }
        for (const id of [...this.#drains.keys()]) this.#onDrained(replica, id);
      },
    };
  }

  setRoutes(routes: Iterable<Route>): void {
    this.#routes.clear();
    for (const route of routes) this.#routes.set(keyOf(route), route);
    for (const route of this.#routes.values()) this.#limit(route);
    for (const order of routeParts([...this.#routes.values()])) this.#tell(order);
    const routed = new Set([...this.#routes.values()].flatMap(routeRevisions));
    this.#demand.forgetAllBut((revision) => routed.has(revision) || this.#endpoints.has(revision));
  }

  setRoute(route: Route): void {
    const before = this.#routes.get(keyOf(route));
    if (jsonEqual(before, route)) return;
    this.#routes.set(keyOf(route), route);
    this.#tell({ type: 'route', route });
    this.#limit(route);
    this.#forget(before, route);
  }

  removeRoute(namespace: string, name: string): void {
    const key = `${namespace}/${name}`;
    const before = this.#routes.get(key);
    if (!this.#routes.delete(key)) return;
    this.#tell({ type: 'routeRemoved', namespace, function: name });
    this.#forget(before, undefined);
  }

  setEndpoints(revision: string, told: readonly Endpoint[], outage?: Outage): void {
    const shares = this.#shares.get(revision);
    const endpoints = told.filter(({ starting }) => starting !== true);
    const standing = { endpoints, ...(outage === undefined ? {} : { outage }) };
    const known = this.#endpoints.get(revision) ?? { endpoints: [] };
    const concerned = this.#promise(revision, shares === undefined ? told : []);
    if (jsonEqual(known, standing)) {
      this.#tellEndpoints(revision, concerned);
      return;
    }
    if (endpoints.length === 0 && outage === undefined) this.#endpoints.delete(revision);
    else this.#endpoints.set(revision, standing);
    this.#zones.note(revision, endpoints);
    if (shares === undefined) this.#tellEndpoints(revision, this.#replicas.keys());
    else shares.set(endpoints);
  }

  /** Notes what starts, where nothing is ready; who is to hear of it, or that it was withdrawn. */
  #promise(revision: string, told: readonly Endpoint[]): readonly FleetReplica[] {
    const before = this.#promised.get(revision);
    const isReady = told.some(({ starting }) => starting !== true);
    const starting = isReady ? [] : told.map(({ starting: _, ...endpoint }) => endpoint);
    if (jsonEqual(before?.starting ?? [], starting)) return [];
    const waiting = [...this.#replicas].filter(
      ([, { demand }]) => (demand.get(revision)?.queued ?? 0) > 0,
    );
    const replicas = new Set(starting.length === 0 ? [] : waiting.map(([replica]) => replica));
    if (replicas.size === 0) this.#promised.delete(revision);
    else this.#promised.set(revision, { starting, replicas });
    const concerned = new Set([...(before?.replicas ?? []), ...replicas]);
    return [...concerned].filter((replica) => this.#replicas.has(replica));
  }

  /** Nodes are in other zones than before. */
  onZones(): void {
    const moved = this.#zones.moved();
    for (const [revision, { endpoints }] of this.#endpoints) {
      const isOther = this.#zones.note(revision, endpoints);
      if (!isOther && moved.length === 0) continue;
      const shares = this.#shares.get(revision);
      if (shares === undefined) {
        this.#tellEndpoints(revision, isOther ? this.#replicas.keys() : moved);
      } else shares.retell();
    }
    this.#tellCounts();
  }

  drained(revision: string, endpoint: string, withinMs: number): Promise<void> {
    const question = { revision, endpoint, withinMs };
    return this.#drained([...this.#replicas.keys()], question, withinMs + drainMarginMs);
  }

  demandOf(revision: string): Demand {
    return this.#demand.of(revision);
  }

  observe(revision: string): Observation | undefined {
    return this.#demand.observed(revision);
  }

  #onReport(
    replica: FleetReplica,
    measured: ReplicaDemand,
    report: Exclude<FleetReport, { readonly type: 'hello' }>,
  ): void {
    const { clock, onDemand, onUnresponsive } = this.#options;
    switch (report.type) {
      case 'demand':
        this.#demand.report(measured, report.demand, clock.now());
        for (const revision of Object.keys(report.demand)) this.#shares.get(revision)?.rebalance();
        for (const revision of report.called) onDemand(revision);
        break;
      case 'observed':
        this.#demand.observe(measured, report.revision, report.observation);
        break;
      case 'drained':
        this.#onDrained(replica, report.id);
        break;
      case 'stuck':
        onUnresponsive(report.endpoint);
        break;
    }
  }

  #onDrained(replica: FleetReplica, id: number): void {
    const drain = this.#drains.get(id);
    if (drain?.left.delete(replica) === true && drain.left.size === 0) drain.done();
  }

  #tell(order: FleetOrder): void {
    for (const replica of this.#replicas.keys()) replica.send(order);
  }

  #tellEndpoints(revision: string, replicas: Iterable<FleetReplica>): void {
    const { endpoints = [], ...rest } = this.#endpoints.get(revision) ?? {};
    const { starting = [], replicas: waiting } = this.#promised.get(revision) ?? {};
    for (const replica of replicas) {
      const marked = this.#zones.mark(replica, endpoints);
      // I6
      const ahead = waiting?.has(replica) === true ? { starting } : {};
      replica.send({ type: 'endpoints', revision, endpoints: marked, ...ahead, ...rest });
    }
  }

  #tellCounts(): void {
    for (const [replica, gateways] of this.#zones.counts())
      replica.send({ type: 'zone', gateways });
  }

  /** Whether Instances of Revisions that a route names are shared out, and by how many calls. */
  #limit(route: Route): void {
    const parts = [route, ...(route.split?.shares ?? []).map((share) => share.route)];
    for (const { revision, concurrencyLimit } of parts) {
      if (revision === undefined) continue;
      const known = this.#shares.get(revision);
      const { endpoints = [] } = this.#endpoints.get(revision) ?? {};
      if (concurrencyLimit === 0) {
        if (this.#shares.delete(revision)) this.#tellEndpoints(revision, this.#replicas.keys());
      } else if (known !== undefined) known.limit = concurrencyLimit;
      else {
        const shares = this.#createShares(revision, concurrencyLimit);
        this.#shares.set(revision, shares);
        if (endpoints.length > 0) shares.set(endpoints);
      }
    }
  }

  #createShares(revision: string, limit: number): EndpointShares<FleetReplica> {
    const none = { inFlight: 0, queued: 0 };
    return new EndpointShares<FleetReplica>(
      {
        replicas: () => [...this.#replicas.keys()],
        demandOf: (replica) => this.#replicas.get(replica)?.demand.get(revision) ?? none,
        isNear: (replica, endpoint) => this.#zones.isNear(replica, endpoint),
        tell: (replica, owned) => {
          const endpoints = this.#zones.mark(replica, owned);
          const { outage } = this.#endpoints.get(revision) ?? {};
          const why = outage === undefined ? {} : { outage };
          if (this.#replicas.has(replica)) {
            replica.send({ type: 'endpoints', revision, endpoints, ...why });
          }
        },
        drained: (replicas, endpoint) =>
          this.#drained(replicas, { revision, endpoint, withinMs: shareMoveMs }),
        clock: this.#options.clock,
      },
      limit,
    );
  }

  async #drained(
    replicas: readonly FleetReplica[],
    question: Pick<
      Extract<FleetOrder, { readonly type: 'drain' }>,
      'revision' | 'endpoint' | 'withinMs'
    >,
    patienceMs?: number,
  ): Promise<void> {
    if (replicas.length === 0) return;
    const id = this.#asked++;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#drains.set(id, { left: new Set(replicas), done: resolve });
    for (const replica of replicas) replica.send({ type: 'drain', id, ...question });
    const late =
      patienceMs === undefined ? undefined : this.#options.clock.after(patienceMs, resolve);
    await promise;
    late?.cancel();
    this.#drains.delete(id);
  }

  *#picture(replica: FleetReplica): Iterable<FleetOrder> {
    yield* routeParts([...this.#routes.values()]);
    for (const [revision, standing] of this.#endpoints) {
      // Its part of those is told when there is one.
      const isShared = this.#shares.has(revision);
      const { endpoints, ...rest } = standing;
      const told = isShared ? [] : this.#zones.mark(replica, endpoints);
      yield { type: 'endpoints', revision, endpoints: told, ...rest };
    }
    yield* this.published.picture();
    yield { type: 'complete' };
  }

  /** What no route names any more, and what has no Instance, is not asked about again. */
  #forget(before: Route | undefined, after: Route | undefined): void {
    const kept = new Set(after === undefined ? [] : routeRevisions(after));
    for (const revision of before === undefined ? [] : routeRevisions(before)) {
      if (kept.has(revision) || this.#endpoints.has(revision)) continue;
      this.#demand.forget(revision);
      this.#shares.delete(revision);
    }
  }
}

function keyOf({ namespace, function: name }: Route): string {
  return `${namespace}/${name}`;
}

function* routeParts(routes: readonly Route[]): Iterable<FleetOrder> {
  let at = 0;
  do {
    const part = routes.slice(at, at + routesInLineMax);
    at += routesInLineMax;
    yield { type: 'routes', routes: part, isLast: at >= routes.length };
  } while (at < routes.length);
}
