/**
 * One life of a replica in its group: from its first renewal until it has given everything away, or
 * could not renew in time.
 *
 * I1. It runs shards that the group's Lease gives to it, and only until `renewDeadlineMs` after the
 *     last renewal that was answered was *sent*. Then it is over for good: the replica begins a new
 *     session, under a new name, once nothing of the old one runs any more. So whoever found a
 *     session dead is right for ever, however long his write is under way.
 * I2. Every write of the group's Lease names the version that it was decided on.
 * I3. It leaves by giving away: renewed until the last shard is drained, and the last write is in.
 *     Where that fails again and again, it goes, and the others wait as for one who died.
 */
import {
  type Clock,
  errorMessage,
  hasCode,
  type Logger,
  type Random,
  randomName,
  sleep,
} from '@fnlet/base';
import type { ResourceClient } from '@fnlet/client';
import type { ObjectKey } from '@fnlet/machinery';
import type { Lease } from '../election/lease.ts';
import { within } from '../within.ts';
import { decideShards } from './decide-shards.ts';
import { leaveTriesMax } from './limits.ts';
import type { SessionTimings } from './session-timings.ts';
import { groupLabel, groupLease, isLeaving, readHolders, sessionLease } from './shard-lease.ts';
import { ShardRuns, type ShardsListener } from './shard-runs.ts';
import { type Listing, Sightings } from './sightings.ts';

export interface ShardSessionOptions {
  readonly leases: ResourceClient<Lease>;
  readonly group: ObjectKey;
  readonly replica: string;
  /** The session of this replica before, of which nothing runs any more. */
  readonly previous: string | undefined;
  readonly timings: SessionTimings;
  readonly listeners: Iterable<ShardsListener>;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

interface Offer {
  readonly version: string | undefined;
  readonly shards: ReadonlySet<number>;
}

export class ShardSession {
  readonly name: string;
  readonly #options: ShardSessionOptions;
  readonly #runs: ShardRuns;
  readonly #sightings: Sightings;
  #offer: Offer = { version: undefined, shards: new Set() };
  #isLeaving = false;
  // Whether nothing is left to give away, or that it cannot be done.
  #hasLeft = false;
  #wake = new AbortController();
  #failures = 0;

  constructor(options: ShardSessionOptions) {
    const { replica, random, clock, logger, listeners, timings } = options;
    this.name = `${replica}-${randomName(random, 5)}`;
    this.#options = options;
    const onChange = (): void => this.#wake.abort();
    this.#runs = new ShardRuns({ clock, logger, listeners, onChange });
    this.#sightings = new Sightings(timings.leaseMs);
  }

  runs(shard: number): boolean {
    return this.#runs.runs(shard);
  }

  /** Takes part until `signal` aborts and everything is given away, or the session is lost. */
  async run(signal: AbortSignal): Promise<void> {
    const leave = (): void => {
      this.#isLeaving = true;
      this.#wake.abort();
    };
    signal.addEventListener('abort', leave, { once: true });
    if (signal.aborted) leave();
    while (!this.#runs.isOver && !this.#hasLeft) {
      this.#wake = new AbortController();
      const waitMs = await this.#turn();
      if (!this.#runs.isOver && !this.#hasLeft) {
        await sleep(this.#options.clock, waitMs, this.#wake.signal);
      }
    }
    signal.removeEventListener('abort', leave);
    this.#runs.end();
    await this.#runs.drained;
    await this.#remove();
  }

  /** Renews, looks, decides and writes; returns how long to wait before the next turn. */
  async #turn(): Promise<number> {
    const { timings, random, logger, group } = this.#options;
    try {
      await this.#renew();
      await this.#share(await this.#list());
      this.#failures = 0;
      return timings.renewMs * (1 + 0.2 * random.next());
    } catch (error) {
      const text = `Cannot share keys as "${this.name}" in "${group.name}": ${errorMessage(error)}`;
      this.#failures += 1;
      if (this.#failures === 1 && !hasCode(error, 'Conflict')) logger.warn(text);
      else logger.debug(text);
      this.#hasLeft = this.#isLeaving && this.#failures >= leaveTriesMax;
      return timings.retryMs * (1 + random.next());
    }
  }

  // I1
  async #renew(): Promise<void> {
    const { leases, group, timings, clock } = this.#options;
    const session = { name: this.name, leaseMs: timings.leaseMs, isLeaving: this.#isLeaving };
    const sentMs = clock.monotonicMs();
    const lease = sessionLease(group, session, clock.now());
    await this.#bounded((signal) => leases.apply(lease, { signal, force: true }));
    this.#runs.extend(sentMs + timings.renewDeadlineMs);
  }

  async #list(): Promise<Listing> {
    const { leases, group, clock } = this.#options;
    const labelSelector = `${groupLabel}=${group.name}`;
    const sentMs = clock.monotonicMs();
    const list = await this.#bounded((signal) =>
      leases.list({ namespace: group.namespace, labelSelector, signal }),
    );
    const found = new Map(list.items.map((lease) => [lease.metadata.name, lease]));
    return { leases: found, sentMs, receivedMs: clock.monotonicMs() };
  }

  async #share(listing: Listing): Promise<void> {
    const { group } = this.#options;
    const sessions = new Map([...listing.leases].filter(([name]) => name !== group.name));
    const known = listing.leases.get(group.name);
    const holding = readHolders(known).filter((holder) => holder !== undefined);
    const others = new Set([...sessions.keys(), ...holding].filter((name) => name !== this.name));
    this.#sightings.look(others, listing);
    const members = this.#members(sessions);
    const written = await this.#decide(known, members);
    if (written !== known) await this.#decide(written, members);
    await this.#sweep(sessions, readHolders(written));
  }

  #members(sessions: ReadonlyMap<string, Lease>): readonly string[] {
    const able = [...sessions].filter(([name, lease]) => !this.#isDead(name) && !isLeaving(lease));
    const others = able.map(([name]) => name).filter((name) => name !== this.name);
    return this.#isLeaving ? others : [...others, this.name];
  }

  #isDead(session: string): boolean {
    return session === this.#options.previous || this.#sightings.isDead(session);
  }

  /** Acts on the group's Lease; returns it as it is now. */
  async #decide(known: Lease | undefined, members: readonly string[]): Promise<Lease | undefined> {
    const { leases, group, clock } = this.#options;
    const version = known?.metadata.resourceVersion;
    const offered = this.#offer.version === version ? this.#offer.shards : new Set<number>();
    const holders = readHolders(known);
    const isMine = (shard: number): boolean => holders[shard] === this.name;
    const { run, write } = decideShards({
      session: this.name,
      holders,
      members,
      isDead: (session) => this.#isDead(session),
      isDrained: (shard) => this.#runs.isDrained(shard),
      offered,
    });
    this.#runs.assign(run);
    this.#hasLeft = this.#isLeaving && offered.size === 0 && !holders.some((_, i) => isMine(i));
    if (write === undefined || this.#runs.isOver || this.#hasLeft) return known;
    const given = write.flatMap((holder, shard) =>
      isMine(shard) && holder !== this.name ? [shard] : [],
    );
    this.#offer = { version, shards: new Set([...offered, ...given]) };
    const change = { holders: write, session: this.name, now: clock.now() };
    const lease = groupLease(group, known, change);
    // I2
    return await this.#bounded((signal) =>
      known === undefined ? leases.create(lease, { signal }) : leases.update(lease, { signal }),
    );
  }

  /** Removes Leases of the dead, once they hold nothing. */
  async #sweep(sessions: ReadonlyMap<string, Lease>, holders: readonly unknown[]): Promise<void> {
    for (const [name, lease] of sessions) {
      if (this.#isDead(name) && !holders.includes(name)) await this.#delete(lease);
    }
  }

  // I3
  async #remove(): Promise<void> {
    const { namespace } = this.#options.group;
    try {
      await this.#bounded((signal) =>
        this.#options.leases.delete({ namespace, name: this.name }, { signal }),
      );
    } catch (error) {
      this.#options.logger.debug(`Cannot remove Lease "${this.name}": ${errorMessage(error)}`);
    }
  }

  async #delete({ metadata }: Lease): Promise<void> {
    const { namespace } = this.#options.group;
    const { uid, resourceVersion, name } = metadata;
    try {
      await this.#bounded((signal) =>
        this.#options.leases.delete(
          { namespace, name },
          { signal, preconditions: { uid, resourceVersion } },
        ),
      );
    } catch (error) {
      // Another replica was faster, or its last renewal came after all.
      if (!hasCode(error, 'NotFound') && !hasCode(error, 'Conflict')) throw error;
    }
  }

  /** Half the deadline, so that there is time for another try. */
  #bounded<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { clock, timings } = this.#options;
    return within({ clock, timeoutMs: timings.renewDeadlineMs / 2 }, work);
  }
}
