/**
 * Which Revision each Function's calls go to: the room's own memory of what it told the Gateway.
 *
 * I1. A route is replaced by one assignment: a call takes the old Revision or the new one.
 * I2. Once a route has left a Revision, no new call reaches it; whoever moved the route retires it.
 */
import { type FunctionObject, type ResolvedScale, resolveScale } from '@fnlet/api';
import { jsonEqual } from '@fnlet/base';
import type { Gateway, Route } from '@fnlet/gateway';
import { formatObjectKey, type ObjectKey, objectKey } from '@fnlet/machinery';
import { planRoute, type ServedRevision } from './plan-route.ts';

interface Entry {
  readonly route: Route;
  readonly served: ServedRevision | undefined;
  readonly scale: ResolvedScale;
}

export class Traffic {
  readonly #gateway: Pick<Gateway, 'setRoute' | 'setRoutes' | 'removeRoute'>;
  readonly #bodyBytesMax: number;
  readonly #byFunction = new Map<string, Entry>();
  readonly #byRevision = new Map<string, Entry>();

  constructor(options: {
    readonly gateway: Pick<Gateway, 'setRoute' | 'setRoutes' | 'removeRoute'>;
    readonly bodyBytesMax: number;
  }) {
    this.#gateway = options.gateway;
    this.#bodyBytesMax = options.bodyBytesMax;
  }

  /** Id of the Revision that calls of this Function go to. */
  servedBy(key: ObjectKey): string | undefined {
    return this.#byFunction.get(formatObjectKey(key))?.route.revision;
  }

  /** How a Revision scales; `undefined` when no calls go to it. */
  scaleOf(revisionId: string): ResolvedScale | undefined {
    return this.#byRevision.get(revisionId)?.scale;
  }

  /** The Function whose calls go to this Revision. */
  ownerOf(revisionId: string): ObjectKey | undefined {
    const route = this.#byRevision.get(revisionId)?.route;
    return route === undefined ? undefined : { namespace: route.namespace, name: route.function };
  }

  /** Sends the calls of a Function to this Revision; returns the id of the one before, if another. */
  move(owner: FunctionObject, served: ServedRevision): string | undefined {
    const before = this.servedBy(objectKey(owner));
    const after = this.#set(owner, served, undefined);
    return before === after ? undefined : before;
  }

  /**
   * Takes over what the Function says about its route, without moving it.
   *
   * @param unavailable what callers are told as long as nothing serves
   */
  refresh(owner: FunctionObject, unavailable: NonNullable<Route['unavailable']>): void {
    const before = this.#byFunction.get(formatObjectKey(objectKey(owner)));
    this.#set(owner, before?.served, unavailable);
  }

  /** Replaces all routes at once. */
  restore(served: Iterable<readonly [FunctionObject, ServedRevision]>): void {
    for (const [owner, revision] of served) this.#remember(this.#plan(owner, revision, undefined));
    this.#gateway.setRoutes([...this.#byFunction.values()].map(({ route }) => route));
  }

  /** Calls of this Function are answered with "not found". */
  remove(key: ObjectKey): void {
    const before = this.#byFunction.get(formatObjectKey(key));
    if (before === undefined) return;
    this.#byFunction.delete(formatObjectKey(key));
    if (before.route.revision !== undefined) this.#byRevision.delete(before.route.revision);
    this.#gateway.removeRoute(key.namespace, key.name);
  }

  #set(
    owner: FunctionObject,
    served: ServedRevision | undefined,
    unavailable: Route['unavailable'],
  ): string | undefined {
    const next = this.#plan(owner, served, unavailable);
    const before = this.#byFunction.get(formatObjectKey(objectKey(owner)));
    this.#remember(next);
    if (!jsonEqual(before?.route, next.route)) this.#gateway.setRoute(next.route);
    return next.route.revision;
  }

  #plan(
    owner: FunctionObject,
    served: ServedRevision | undefined,
    unavailable: Route['unavailable'],
  ): Entry {
    const route = planRoute({ owner, served, unavailable, bodyBytesMax: this.#bodyBytesMax });
    return { route, served, scale: resolveScale(owner.spec.scale) };
  }

  #remember(next: Entry): void {
    const { namespace, function: name, revision } = next.route;
    const key = formatObjectKey({ namespace, name });
    const before = this.#byFunction.get(key)?.route.revision;
    if (before !== undefined) this.#byRevision.delete(before);
    this.#byFunction.set(key, next);
    if (revision !== undefined) this.#byRevision.set(revision, next);
  }
}
