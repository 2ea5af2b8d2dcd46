/**
 * Which Revisions each Function's calls go to: the room's own memory of what it told the Gateway.
 *
 * I1. A route is replaced by one assignment: a call takes what was or what is.
 * I2. Once a route has left a Revision, no new call reaches it; whoever changed the route retires
 *     it.
 */
import { type FunctionObject, type ResolvedScale, resolveScale } from '@fnlet/api';
import { jsonEqual } from '@fnlet/base';
import type { Gateway, Route } from '@fnlet/gateway';
import { formatObjectKey, type ObjectKey, objectKey } from '@fnlet/machinery';
import { planRoute } from './plan-route.ts';
import { planShareScale } from './plan-shift.ts';
import { percentOf, type ServedRevision, type Share } from './share.ts';

/** Where the calls of one Function go. */
export interface TrafficState {
  /** The newest Revision that is ready and was not rolled back. */
  readonly latest: ServedRevision | undefined;
  readonly shares: readonly Share[];
  /** By name: Instances that Revisions have ready for calls that are about to come. */
  readonly reserved: ReadonlyMap<string, number>;
}

interface Entry extends TrafficState {
  readonly route: Route;
  readonly scale: ResolvedScale;
}

const nobody: ReadonlyMap<string, number> = new Map();

const nothing: TrafficState = { latest: undefined, shares: [], reserved: nobody };

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

  stateOf(key: ObjectKey): TrafficState {
    return this.#byFunction.get(formatObjectKey(key)) ?? nothing;
  }

  /** Ids of the Revisions that calls of this Function go to, or are about to. */
  revisionsOf(key: ObjectKey): readonly string[] {
    const entry = this.#byFunction.get(formatObjectKey(key));
    return entry === undefined ? [] : idsOf(entry);
  }

  /** How a Revision scales; `undefined` when no calls go to it, nor are about to. */
  scaleOf(revisionId: string): ResolvedScale | undefined {
    const entry = this.#byRevision.get(revisionId);
    if (entry === undefined) return undefined;
    const { scale, shares, reserved, route } = entry;
    const name = revisionId.slice(route.namespace.length + 1);
    return planShareScale(scale, percentOf(shares, name), reserved.get(name) ?? 0);
  }

  /** Whose calls go to this Revision, or are about to, and how much of them. */
  partOf(revisionId: string): { readonly key: ObjectKey; readonly percent: number } | undefined {
    const entry = this.#byRevision.get(revisionId);
    if (entry === undefined) return undefined;
    const { namespace, function: name } = entry.route;
    const percent = percentOf(entry.shares, revisionId.slice(namespace.length + 1));
    return { key: { namespace, name }, percent };
  }

  /**
   * Takes over what the Function says about its route, and what of `change` is given; returns the
   * ids of the Revisions that no call goes to any more.
   *
   * @param unavailable what callers are told as long as nothing serves
   */
  update(
    owner: FunctionObject,
    change: Partial<TrafficState>,
    unavailable?: Route['unavailable'],
  ): readonly string[] {
    const key = objectKey(owner);
    const before = this.#byFunction.get(formatObjectKey(key));
    const told = unavailable ?? before?.route.unavailable;
    const next = this.#plan(owner, { ...this.stateOf(key), ...change }, told);
    this.#remember(key, next);
    if (!jsonEqual(before?.route, next.route)) this.#gateway.setRoute(next.route);
    const kept = idsOf(next);
    return before === undefined ? [] : idsOf(before).filter((id) => !kept.includes(id));
  }

  /** Replaces all routes at once. */
  restore(states: Iterable<readonly [FunctionObject, Omit<TrafficState, 'reserved'>]>): void {
    for (const [owner, state] of states) {
      const entry = this.#plan(owner, { ...state, reserved: nobody }, undefined);
      this.#remember(objectKey(owner), entry);
    }
    this.#gateway.setRoutes([...this.#byFunction.values()].map(({ route }) => route));
  }

  /** Calls of this Function are answered with "not found". */
  remove(key: ObjectKey): void {
    const before = this.#byFunction.get(formatObjectKey(key));
    if (before === undefined) return;
    this.#byFunction.delete(formatObjectKey(key));
    for (const id of idsOf(before)) this.#byRevision.delete(id);
    this.#gateway.removeRoute(key.namespace, key.name);
  }

  #plan(owner: FunctionObject, state: TrafficState, unavailable: Route['unavailable']): Entry {
    const { latest, shares, reserved } = state;
    const route = planRoute({ owner, shares, unavailable, bodyBytesMax: this.#bodyBytesMax });
    return { latest, shares, reserved, route, scale: resolveScale(owner.spec.scale) };
  }

  #remember(key: ObjectKey, next: Entry): void {
    const name = formatObjectKey(key);
    const before = this.#byFunction.get(name);
    if (before !== undefined) for (const id of idsOf(before)) this.#byRevision.delete(id);
    this.#byFunction.set(name, next);
    for (const id of idsOf(next)) this.#byRevision.set(id, next);
  }
}

function idsOf({ route, shares, reserved }: Entry): readonly string[] {
  const names = new Set([...shares.map(({ revision }) => revision.name), ...reserved.keys()]);
  return [...names].map((name) => `${route.namespace}/${name}`);
}
