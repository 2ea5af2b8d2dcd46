/**
 * What one replica knows of the sessions of others, by its own clock only.
 *
 * A session is dead once its Lease has not changed for as long as it lasts: from the moment when
 * the answer came that showed this version first, to the moment when the question was *sent* that
 * was answered with it still. So its last renewal was written before the first, and it has, by its
 * own clock, stopped before the second. A Lease that is missing is a version like others: it may
 * have been deleted while its session lives.
 */
import { type Lease, leaseDurationMs } from '../election/lease.ts';

/** One look at all Leases of the group. */
export interface Listing {
  readonly leases: ReadonlyMap<string, Lease>;
  readonly sentMs: number;
  readonly receivedMs: number;
}

interface Sighting {
  /** The resourceVersion; empty when the Lease is missing. */
  readonly version: string;
  readonly sinceMs: number;
  readonly durationMs: number;
  readonly isDead: boolean;
}

export class Sightings {
  readonly #leaseMs: number;
  #bySession: ReadonlyMap<string, Sighting> = new Map();

  /** `leaseMs` is taken for Leases that do not say how long they last. */
  constructor(leaseMs: number) {
    this.#leaseMs = leaseMs;
  }

  /** Takes a look at these sessions; others are forgotten. */
  look(sessions: Iterable<string>, listing: Listing): void {
    const entries = Array.from(sessions, (name) => [name, this.#see(name, listing)] as const);
    this.#bySession = new Map(entries);
  }

  /** Whether nobody acts for this session any more, nor ever will. */
  isDead(session: string): boolean {
    return this.#bySession.get(session)?.isDead === true;
  }

  #see(session: string, { leases, sentMs, receivedMs }: Listing): Sighting {
    const lease = leases.get(session);
    const version = lease?.metadata.resourceVersion ?? '';
    const known = this.#bySession.get(session);
    const ownMs = lease === undefined ? this.#leaseMs : leaseDurationMs(lease, this.#leaseMs);
    const durationMs = Math.max(ownMs, known?.durationMs ?? 0);
    if (known?.version !== version) {
      return { version, sinceMs: receivedMs, durationMs, isDead: known?.isDead === true };
    }
    const isDead = known.isDead || sentMs - known.sinceMs >= durationMs;
    return { ...known, durationMs, isDead };
  }
}
