import type { Clock } from '@fnlet/base';
import {
  CallMeter,
  type Endpoint,
  type Gateway,
  type Observation,
  type Outage,
  type Route,
} from '@fnlet/gateway';
import type { Demand } from '@fnlet/scaling';

type GatewayPort = Pick<
  Gateway,
  'setRoute' | 'setRoutes' | 'removeRoute' | 'setEndpoints' | 'drained' | 'demandOf' | 'observe'
>;

/** Who answered a call. */
export interface Answer {
  readonly revisionId: string;
  readonly endpointId: string;
}

interface Call {
  readonly answer: PromiseWithResolvers<Answer>;
}

interface Backend {
  endpoints: readonly Endpoint[];
  inFlight: number;
  arrivals: number;
  lastActiveMs: number;
  readonly parked: Call[];
  readonly drained: (() => void)[];
}

/** A Gateway without sockets: calls are function calls, answered by the name of who would have. */
export class MemoryGateway implements GatewayPort {
  readonly routes: Map<string, Route> = new Map();
  /** By Revision: what callers are told who cannot wait for its end. */
  readonly outages: Map<string, Outage> = new Map();
  readonly #clock: Clock;
  readonly #onDemand: (revisionId: string) => void;
  readonly #backends = new Map<string, Backend>();
  readonly #meters = new Map<string, CallMeter>();
  #calls = 0;

  constructor(clock: Clock, onDemand: (revisionId: string) => void) {
    this.#clock = clock;
    this.#onDemand = onDemand;
  }

  /** Calls a Function; resolves when it was answered, throws when there is no route. */
  call(namespace: string, name: string): Promise<Answer> {
    const revisionId = this.#choose(this.routes.get(`${namespace}/${name}`));
    if (revisionId === undefined) throw new Error(`503 ${namespace}/${name}`);
    const backend = this.#backend(revisionId);
    const call: Call = { answer: Promise.withResolvers<Answer>() };
    backend.arrivals++;
    backend.lastActiveMs = this.#clock.now();
    backend.parked.push(call);
    this.#serve(revisionId, backend);
    if (backend.parked.length > 0) this.#onDemand(revisionId);
    return call.answer.promise;
  }

  /** Makes it so that calls of a Revision were answered like this. */
  answered(
    revisionId: string,
    calls: number,
    { status = 200, latencyMs = 1 }: { readonly status?: number; readonly latencyMs?: number } = {},
  ): void {
    const meter = this.#meters.get(revisionId) ?? new CallMeter();
    this.#meters.set(revisionId, meter);
    for (let call = 0; call < calls; call++) meter.onAnswer(status, latencyMs);
  }

  observe(revisionId: string): Observation | undefined {
    return this.#meters.get(revisionId)?.observe();
  }

  /** Begins a call that stays in flight until the returned function is called. */
  hold(revisionId: string): () => void {
    const backend = this.#backend(revisionId);
    backend.inFlight++;
    return () => {
      backend.inFlight--;
      if (backend.inFlight === 0) for (const resolve of backend.drained.splice(0)) resolve();
    };
  }

  endpointsOf(revisionId: string): readonly string[] {
    return this.#ready(revisionId).map(({ id }) => id);
  }

  /** Instances that it would connect to ahead of their first call. */
  startingOf(revisionId: string): readonly string[] {
    const { endpoints } = this.#backend(revisionId);
    return endpoints.filter(({ starting }) => starting === true).map(({ id }) => id);
  }

  setRoute(route: Route): void {
    this.routes.set(`${route.namespace}/${route.function}`, route);
  }

  setRoutes(routes: Iterable<Route>): void {
    this.routes.clear();
    for (const route of routes) this.setRoute(route);
  }

  removeRoute(namespace: string, name: string): void {
    this.routes.delete(`${namespace}/${name}`);
  }

  setEndpoints(revisionId: string, endpoints: readonly Endpoint[], outage?: Outage): void {
    if (outage === undefined) this.outages.delete(revisionId);
    else this.outages.set(revisionId, outage);
    const backend = this.#backend(revisionId);
    backend.endpoints = endpoints;
    this.#serve(revisionId, backend);
  }

  drained(revisionId: string): Promise<void> {
    const backend = this.#backend(revisionId);
    if (backend.inFlight === 0) return Promise.resolve();
    return new Promise((resolve) => backend.drained.push(resolve));
  }

  demandOf(revisionId: string): Demand {
    const { inFlight, parked, arrivals, lastActiveMs } = this.#backend(revisionId);
    const sums = { concurrencyMs: 0, busyMs: 0, served: 0, servedMs: 0 };
    return { inFlight, queued: parked.length, arrivals, lastActiveMs, ...sums };
  }

  /** Of a hundred calls in a row each Revision gets exactly its part. */
  #choose(route: Route | undefined): string | undefined {
    let rest = (this.#calls++ * 37) % 100;
    for (const share of route?.split?.shares ?? []) {
      rest -= share.percent;
      if (rest < 0) return share.route.revision;
    }
    return route?.revision;
  }

  #ready(revisionId: string): readonly Endpoint[] {
    return this.#backend(revisionId).endpoints.filter(({ starting }) => starting !== true);
  }

  #serve(revisionId: string, { parked }: Backend): void {
    const [endpoint] = this.#ready(revisionId);
    if (endpoint === undefined) return;
    for (const { answer } of parked.splice(0)) {
      answer.resolve({ revisionId, endpointId: endpoint.id });
    }
  }

  #backend(revisionId: string): Backend {
    const known = this.#backends.get(revisionId);
    if (known !== undefined) return known;
    const backend: Backend = {
      endpoints: [],
      inFlight: 0,
      arrivals: 0,
      lastActiveMs: 0,
      parked: [],
      drained: [],
    };
    this.#backends.set(revisionId, backend);
    return backend;
  }
}
