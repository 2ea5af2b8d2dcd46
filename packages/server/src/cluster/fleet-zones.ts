/**
 * Which Instances are near which Gateways, and what changes about it.
 *
 * I1. Where nothing is known to be in a zone, words are what they are without zones, and nothing is
 *     kept.
 */
import type { Endpoint } from '@fnlet/gateway';

/** Who knows what is in which zone; both `undefined` where nobody does. */
export interface ZoneMap {
  /** Of a Node. */
  ofNode(node: string | undefined): string | undefined;
  /** Of the Instance that is called at this address. */
  ofHost(host: string): string | undefined;
}

/** Knows nothing. */
export const noZones: ZoneMap = { ofNode: () => undefined, ofHost: () => undefined };

interface Place {
  readonly node: string | undefined;
  zone: string | undefined;
  /** How many Gateways, itself included, it was told to be in its zone, on this connection. */
  told: number | undefined;
}

export class FleetZones<Replica extends object> {
  readonly #map: ZoneMap;
  readonly #places = new Map<Replica, Place>();
  /** Zones of the Instances of Revisions as they were told, for those where one is known. */
  readonly #told = new Map<string, string>();

  constructor(map: ZoneMap) {
    this.#map = map;
  }

  /** A Gateway runs on this Node. */
  join(replica: Replica, node: string | undefined): void {
    this.#places.set(replica, { node, zone: this.#map.ofNode(node), told: undefined });
  }

  leave(replica: Replica): void {
    this.#places.delete(replica);
  }

  /** Whether an Instance is in the zone of a Gateway; `undefined`: nobody knows. */
  isNear(replica: Replica, endpoint: Endpoint): boolean | undefined {
    const zone = this.#places.get(replica)?.zone;
    if (zone === undefined || !('host' in endpoint)) return undefined;
    const other = this.#map.ofHost(endpoint.host);
    return other === undefined ? undefined : other === zone;
  }

  /** Instances as this Gateway is told of them. */
  mark(replica: Replica, endpoints: readonly Endpoint[]): readonly Endpoint[] {
    if (this.#places.get(replica)?.zone === undefined) return endpoints;
    return endpoints.map((endpoint) => {
      const near = this.isNear(replica, endpoint);
      return near === undefined ? endpoint : { ...endpoint, near };
    });
  }

  /** Takes note of the zones of Instances that are told now; whether they were others before. */
  note(revision: string, endpoints: readonly Endpoint[]): boolean {
    const zones = endpoints.map((one) => ('host' in one ? this.#map.ofHost(one.host) : undefined));
    const isKnown = zones.some((zone) => zone !== undefined);
    const before = this.#told.get(revision);
    const after = isKnown ? zones.map((zone) => zone ?? '').join('\n') : undefined;
    if (after === undefined) this.#told.delete(revision);
    else this.#told.set(revision, after);
    return before !== after;
  }

  /** Looks for Gateways anew; answers those that are in another zone than before. */
  moved(): readonly Replica[] {
    const moved: Replica[] = [];
    for (const [replica, place] of this.#places) {
      const zone = this.#map.ofNode(place.node);
      if (zone === place.zone) continue;
      place.zone = zone;
      moved.push(replica);
    }
    return moved;
  }

  /** Gateways that are to be told how many are in their zone, since it is another number now. */
  *counts(): Iterable<readonly [Replica, number]> {
    const sizes = new Map<string | undefined, number>();
    for (const { zone } of this.#places.values()) sizes.set(zone, (sizes.get(zone) ?? 0) + 1);
    for (const [replica, place] of this.#places) {
      const count = sizes.get(place.zone) ?? 1;
      if (place.zone === undefined || count === place.told) continue;
      place.told = count;
      yield [replica, count];
    }
  }
}
