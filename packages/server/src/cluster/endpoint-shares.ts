/**
 * Who may call the Instances of a Revision that takes so many calls at a time and no more: each is
 * called by one Gateway alone, which knows how many it has under way.
 *
 * I1. An Instance is given to a Gateway only after all others have said that they have no call of
 *     it under way, and take no new one to it.
 * I2. It changes hands for calls that wait, and stays for `shareHoldMs` at least. Its zone is no
 *     reason: it counts where there is a choice.
 */
import type { Clock } from '@fnlet/base';
import type { Endpoint } from '@fnlet/gateway';
import { shareHoldMs } from './limits.ts';
import { planMove, planPlacement, type Sharer } from './plan-share.ts';

export interface EndpointSharesOptions<Replica> {
  /** Gateways that are connected. */
  readonly replicas: () => readonly Replica[];
  /** Calls of the Revision at one of them. */
  readonly demandOf: (replica: Replica) => Pick<Sharer, 'inFlight' | 'queued'>;
  /** Tells one which Instances it may call. */
  readonly tell: (replica: Replica, endpoints: readonly Endpoint[]) => void;
  /** Whether an Instance is in the zone of a Gateway; `undefined`: nobody knows. */
  readonly isNear: (replica: Replica, endpoint: Endpoint) => boolean | undefined;
  /** Resolves once these have no call of this Instance under way. */
  readonly drained: (replicas: readonly Replica[], endpoint: string) => Promise<void>;
  readonly clock: Clock;
}

interface Place<Replica> {
  readonly endpoint: Endpoint;
  /** `undefined`: it is on its way to somebody, or nobody is there. */
  owner: Replica | undefined;
  sinceMs: number;
  moving: boolean;
}

export class EndpointShares<Replica extends object> {
  readonly #options: EndpointSharesOptions<Replica>;
  #limit: number;
  #places = new Map<string, Place<Replica>>();

  constructor(options: EndpointSharesOptions<Replica>, limit: number) {
    this.#options = options;
    this.#limit = limit;
  }

  set limit(limit: number) {
    this.#limit = limit;
  }

  /** These Instances are ready now. */
  set(endpoints: readonly Endpoint[]): void {
    const before = this.#places;
    this.#places = new Map(
      endpoints.map((endpoint) => {
        const { owner, sinceMs = 0, moving = false } = before.get(endpoint.id) ?? {};
        return [endpoint.id, { endpoint, owner, sinceMs, moving }];
      }),
    );
    for (const replica of this.#options.replicas()) this.#tell(replica);
    for (const [id, { owner, moving }] of this.#places) {
      if (owner === undefined && !moving) void this.#place(id, undefined);
    }
  }

  /** Other Instances are near than before. */
  retell(): void {
    for (const replica of this.#options.replicas()) this.#tell(replica);
  }

  /** What a Gateway that joins may call: nothing yet. */
  of(replica: Replica): readonly Endpoint[] {
    return [...this.#places.values()]
      .filter(({ owner }) => owner === replica)
      .map(({ endpoint }) => endpoint);
  }

  /** A Gateway has joined, or calls wait somewhere. */
  rebalance(): void {
    for (const [id, { owner, moving }] of this.#places) {
      if (owner === undefined && !moving) void this.#place(id, undefined);
    }
    const replicas = this.#options.replicas();
    const move = planMove(this.#sharers(replicas), this.#limit);
    const [from, to] = [replicas[move?.from ?? -1], replicas[move?.to ?? -1]];
    if (from === undefined || to === undefined) return;
    const nowMs = this.#options.clock.monotonicMs();
    const movable = [...this.#places].filter(
      ([, { owner, moving, sinceMs }]) =>
        owner === from && !moving && nowMs - sinceMs >= shareHoldMs,
    );
    const { isNear } = this.#options;
    const near = movable.find(([, { endpoint }]) => isNear(to, endpoint) === true);
    const [id] = near ?? movable[0] ?? [];
    if (id !== undefined) void this.#place(id, to);
  }

  /** A Gateway is gone, and whatever it called. */
  leave(replica: Replica): void {
    for (const [id, place] of this.#places) {
      if (place.owner !== replica) continue;
      place.owner = undefined;
      if (!place.moving) void this.#place(id, undefined);
    }
  }

  /** @param wanted the Instance in question, if it is about one */
  #sharers(replicas: readonly Replica[], wanted?: Endpoint): readonly Sharer[] {
    const { demandOf, isNear } = this.#options;
    return replicas.map((replica) => {
      const places = [...this.#places.values()];
      const owned = places.filter(({ owner }) => owner === replica).length;
      const near = wanted === undefined ? undefined : isNear(replica, wanted);
      return { owned, isNear: near, ...demandOf(replica) };
    });
  }

  // I1
  async #place(id: string, wanted: Replica | undefined): Promise<void> {
    const place = this.#places.get(id);
    const { replicas, drained, clock } = this.#options;
    if (place === undefined || replicas().length === 0) return;
    const before = place.owner;
    place.moving = true;
    place.owner = undefined;
    if (before !== undefined) this.#tell(before);
    const others = replicas().filter((replica) => replica !== wanted);
    await drained(wanted === undefined ? replicas() : others, id);
    // What is ready may have been told anew meanwhile.
    const now = this.#places.get(id);
    if (now === undefined) return;
    const all = replicas();
    const index = wanted !== undefined && all.includes(wanted) ? all.indexOf(wanted) : undefined;
    const owner = all[index ?? planPlacement(this.#sharers(all, now.endpoint)) ?? -1];
    now.moving = false;
    now.owner = owner;
    now.sinceMs = clock.monotonicMs();
    if (owner !== undefined) this.#tell(owner);
  }

  #tell(replica: Replica): void {
    this.#options.tell(replica, this.of(replica));
  }
}
