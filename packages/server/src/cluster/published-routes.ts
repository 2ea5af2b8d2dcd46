/**
 * What the controller tells a Gateway besides Functions, in place there.
 *
 * I1. A route stands with its policy; one whose policy cannot be read lets nobody through.
 * I2. A policy stays the same while what it demands is the same, and its limits go on counting.
 */
import { jsonEqual, type MetricFamily } from '@fnlet/base';
import type { Gateway, HttpRoute, Responder, RoutePolicy } from '@fnlet/gateway';
import { RoutePolicies, type RoutePoliciesOptions } from '@fnlet/gateway/policies';
import type { PublishedOrder, RelayedName, RelayPlace, ToldHttpRoute } from './fleet-message.ts';
import { closedPolicy, type PolicyTerms, readSettings } from './policy-terms.ts';

type RoutedGateway = Pick<
  Gateway,
  'setHttpRoutes' | 'setHttpRoute' | 'removeHttpRoute' | 'setService' | 'removeService'
>;

export interface PublishedRoutesOptions extends RoutePoliciesOptions {
  readonly gateway: RoutedGateway;
  /** Passes requests for a place on to the controller. */
  readonly relay: (place: RelayPlace, bodyBytesMax: number) => Responder;
}

interface Standing {
  readonly terms: PolicyTerms;
  readonly policy: RoutePolicy;
}

export class PublishedRoutes {
  readonly #options: PublishedRoutesOptions;
  readonly #policies: RoutePolicies;
  /** By route. */
  readonly #standing = new Map<string, Standing>();
  #names: readonly RelayedName[] = [];
  #parts: ToldHttpRoute[] = [];
  #takesLater = false;

  constructor(options: PublishedRoutesOptions) {
    this.#options = options;
    this.#policies = new RoutePolicies(options);
  }

  obey(order: PublishedOrder): void {
    const { gateway } = this.#options;
    switch (order.type) {
      case 'httpRoutes':
        this.#parts.push(...order.routes);
        if (order.isLast) this.#replace(this.#parts);
        break;
      case 'httpRoute':
        gateway.setHttpRoute(this.#routeOf(order.route));
        break;
      case 'httpRouteRemoved':
        gateway.removeHttpRoute(order.id);
        this.#forget(order.id);
        break;
      case 'later':
        this.#takesLater = order.isTaken;
        break;
      case 'names':
        this.#setNames(order.names);
        break;
    }
  }

  /** Whether the controller takes calls that are answered later. */
  get takesLater(): boolean {
    return this.#takesLater;
  }

  /** A controller begins anew to tell what there is. */
  begin(): void {
    this.#parts = [];
  }

  /** What became of requests of routes that demand something. */
  metrics(): readonly MetricFamily[] {
    return this.#policies.metrics((id) => {
      const [namespace = '', trigger = ''] = id.split('/');
      return { namespace, trigger };
    });
  }

  #replace(routes: readonly ToldHttpRoute[]): void {
    this.#parts = [];
    const ids = new Set(routes.map(({ id }) => id));
    for (const id of [...this.#standing.keys()]) if (!ids.has(id)) this.#forget(id);
    this.#options.gateway.setHttpRoutes(routes.map((route) => this.#routeOf(route)));
  }

  #routeOf({ target, policy: terms, ...route }: ToldHttpRoute): HttpRoute {
    const { relay } = this.#options;
    const { id } = route;
    const policy = this.#policyOf(id, terms);
    return {
      ...route,
      target:
        'function' in target
          ? target
          : { responder: relay({ kind: 'route', id }, target.bodyBytesMax) },
      ...(policy === undefined ? {} : { policy }),
    };
  }

  #policyOf(id: string, terms: PolicyTerms | undefined): RoutePolicy | undefined {
    if (terms === undefined) {
      this.#forget(id);
      return undefined;
    }
    const before = this.#standing.get(id);
    if (before !== undefined && jsonEqual(before.terms, terms)) return before.policy;
    const settings = terms.kind === 'demands' ? readSettings(terms.settings) : undefined;
    const policy = settings === undefined ? closedPolicy : this.#policies.make(id, settings);
    this.#standing.set(id, { terms, policy });
    return policy;
  }

  #forget(id: string): void {
    if (this.#standing.delete(id)) this.#policies.forget(id);
  }

  #setNames(names: readonly RelayedName[]): void {
    const { gateway, relay } = this.#options;
    for (const name of this.#names) {
      const isGone = names.every((other) => !isSameName(name, other));
      if (isGone) gateway.removeService(name);
    }
    for (const name of names) {
      if (this.#names.some((other) => jsonEqual(name, other))) continue;
      const { namespace, bodyBytesMax } = name;
      gateway.setService(
        name,
        relay({ kind: 'service', namespace, name: name.name }, bodyBytesMax),
      );
    }
    this.#names = names;
  }
}

function isSameName(one: RelayedName, other: RelayedName): boolean {
  return one.namespace === other.namespace && one.name === other.name;
}
