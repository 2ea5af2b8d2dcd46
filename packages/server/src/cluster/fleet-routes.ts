/**
 * What Gateways are told besides Functions: the routes of Triggers by host and path, and the names
 * that are answered by the controller itself. Requests for those are passed on to it.
 *
 * I1. A word that changes nothing is not sent.
 * I2. A route whose policy cannot be told lets nobody through.
 */
import { jsonEqual } from '@fnlet/base';
import type { Gateway, HttpRoute, Responder } from '@fnlet/gateway';
import type { FleetOrder, RelayedName, RelayPlace, ToldHttpRoute } from './fleet-message.ts';
import { routesInLineMax } from './limits.ts';
import { termsOf } from './policy-terms.ts';

type PublishingGateway = Pick<
  Gateway,
  | 'setHttpRoutes'
  | 'setHttpRoute'
  | 'removeHttpRoute'
  | 'setCertificates'
  | 'setEventSinks'
  | 'setService'
  | 'removeService'
>;

interface Published {
  readonly told: ToldHttpRoute;
  readonly responder: Responder | undefined;
}

type ServiceName = Parameters<Gateway['setService']>[0];

export class FleetRoutes implements PublishingGateway {
  readonly #tell: (order: FleetOrder) => void;
  readonly #routes = new Map<string, Published>();
  readonly #services = new Map<string, { name: RelayedName; responder: Responder }>();
  #sinks: Responder | undefined;
  #later: Responder | undefined;

  /** @param tell tells all Gateways that are connected */
  constructor(tell: (order: FleetOrder) => void) {
    this.#tell = tell;
  }

  /** Everything that holds, for a Gateway that joins. */
  *picture(): Iterable<FleetOrder> {
    yield* routeParts([...this.#routes.values()].map(({ told }) => told));
    yield { type: 'later', isTaken: this.#later !== undefined };
    yield this.#names();
  }

  /** Who answers what is passed on from there. */
  responderAt(place: RelayPlace): Responder | undefined {
    switch (place.kind) {
      case 'route':
        return this.#routes.get(place.id)?.responder;
      case 'service':
        return this.#services.get(keyOf(place))?.responder;
      case 'sinks':
        return this.#sinks;
      case 'later':
        return this.#later;
    }
  }

  setHttpRoutes(routes: Iterable<HttpRoute>): void {
    this.#routes.clear();
    for (const route of routes) this.#routes.set(route.id, publish(route));
    for (const order of routeParts([...this.#routes.values()].map(({ told }) => told))) {
      this.#tell(order);
    }
  }

  setHttpRoute(route: HttpRoute): void {
    const published = publish(route);
    const before = this.#routes.get(route.id);
    this.#routes.set(route.id, published);
    if (jsonEqual(before?.told, published.told)) return;
    this.#tell({ type: 'httpRoute', route: published.told });
  }

  removeHttpRoute(id: string): void {
    if (this.#routes.delete(id)) this.#tell({ type: 'httpRouteRemoved', id });
  }

  /** Gateways of a cluster speak no TLS: what stands before them does, with certificates of its own. */
  setCertificates(): void {}

  setEventSinks(responder: Responder): void {
    this.#sinks = responder;
  }

  /** Who takes calls that are answered later. */
  setLater(responder: Responder): void {
    this.#later = responder;
    this.#tell({ type: 'later', isTaken: true });
  }

  setService({ namespace, name }: ServiceName, responder: Responder): void {
    const { bodyBytesMax } = responder;
    this.#services.set(keyOf({ namespace, name }), {
      name: { namespace, name, bodyBytesMax },
      responder,
    });
    this.#tell(this.#names());
  }

  removeService(name: ServiceName): void {
    if (this.#services.delete(keyOf(name))) this.#tell(this.#names());
  }

  #names(): FleetOrder {
    return { type: 'names', names: [...this.#services.values()].map(({ name }) => name) };
  }
}

function publish({ target, policy, ...route }: HttpRoute): Published {
  const isRelayed = 'responder' in target;
  const told: ToldHttpRoute = {
    ...route,
    target: isRelayed ? { bodyBytesMax: target.responder.bodyBytesMax } : target,
    ...(policy === undefined ? {} : { policy: termsOf(policy) }),
  };
  return { told, responder: isRelayed ? target.responder : undefined };
}

function keyOf({ namespace, name }: ServiceName): string {
  return `${namespace}/${name}`;
}

function* routeParts(routes: readonly ToldHttpRoute[]): Iterable<FleetOrder> {
  let at = 0;
  do {
    const part = routes.slice(at, at + routesInLineMax);
    at += routesInLineMax;
    yield { type: 'httpRoutes', routes: part, isLast: at >= routes.length };
  } while (at < routes.length);
}
