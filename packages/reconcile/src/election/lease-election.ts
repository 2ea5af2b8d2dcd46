/**
 * Leader election by one Lease: of all who share its name, at most one leads, and while the API can
 * be reached one does before long.
 *
 * I1. Every write names the resourceVersion that it was decided on, so of several who try one wins.
 * I2. Leadership counts from the moment *before* the last successful write was sent, and ends
 *     `renewDeadlineMs` later by itself; others wait `leaseMs` from a moment *after* that write.
 *     The difference (5 s) is for work to stop in, and for clocks that run at other speeds.
 * I3. `isLeader` asks the clock, so a process that was paused does not believe that it still leads,
 *     whichever of its timers comes first.
 * I4. The Lease is given back only after the work has returned; until then it is renewed.
 *
 * What no Lease can do: a request that was sent by a leader just before it was paused, or cut off,
 * may arrive after the next one has begun. Writes must therefore carry what they were decided on (a
 * resourceVersion, a uid); the API does not know leaders. And whoever deletes the Lease by hand
 * makes it free at once.
 */
import {
  type Clock,
  errorMessage,
  hasCode,
  type Logger,
  type Random,
  sleep,
  type Timer,
} from '@fnlet/base';
import type { Client, ResourceClient } from '@fnlet/client';
import { formatObjectKey, type ObjectKey } from '@fnlet/machinery';
import type { LeaderElection } from '../leadership.ts';
import { ReconcileError } from '../reconcile-error.ts';
import { type Bound, within } from '../within.ts';
import {
  decideElection,
  heldLease,
  newLease,
  releasedLease,
  type SeenLease,
} from './decide-election.ts';
import { type ElectionTimings, resolveElectionTimings, retryJitter } from './election-timings.ts';
import { type Lease, leaseType } from './lease.ts';

export interface LeaseElectionOptions {
  readonly client: Client;
  /** The Lease that all candidates share; made when it is missing. */
  readonly lease: ObjectKey;
  /** Of this process, and never of another one: a restarted process needs a new one. */
  readonly identity: string;
  /** Default: those of controller-runtime, 15 s, 10 s and 2 s. */
  readonly timings?: Partial<ElectionTimings>;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/**
 * Takes part in the election of a leader. Costs one write each 2 s while it leads, and one read
 * each 2 s to 4.4 s while another one does.
 *
 * @example
 * const election = createLeaseElection({
 *   client, lease: { namespace: 'sites', name: 'site-operator' }, identity: `${host}_${uuid}`,
 *   clock, random, logger,
 * });
 * await election.run(signal, (leading) => work(leading));
 */
export function createLeaseElection(options: LeaseElectionOptions): LeaderElection {
  return new LeaseElection(options);
}

type Lead = (signal: AbortSignal) => Promise<void>;

class LeaseElection implements LeaderElection {
  readonly #options: LeaseElectionOptions;
  readonly #timings: ElectionTimings;
  readonly #leases: ResourceClient<Lease>;
  #seen: SeenLease | undefined;
  // Whether the Lease may have changed since: then it is read before it is written.
  #isStale = true;
  #heldUntilMs = Number.NEGATIVE_INFINITY;
  #failures = 0;

  constructor(options: LeaseElectionOptions) {
    this.#options = options;
    this.#timings = resolveElectionTimings(options.timings);
    this.#leases = options.client.of<Lease>(leaseType);
  }

  // I3
  get isLeader(): boolean {
    return this.#options.clock.monotonicMs() < this.#heldUntilMs;
  }

  async run(signal: AbortSignal, lead: Lead): Promise<void> {
    while (await this.#campaign(signal)) {
      const isLost = await this.#serve(signal, lead);
      if (!isLost) return;
    }
  }

  /** Whether the election was won before `signal` aborted. */
  async #campaign(signal: AbortSignal): Promise<boolean> {
    const { clock, random } = this.#options;
    while (!signal.aborted) {
      await this.#attempt(signal);
      if (this.isLeader) return true;
      const waitMs = this.#timings.retryMs * (1 + retryJitter * random.next());
      await sleep(clock, waitMs, signal);
    }
    return false;
  }

  /** Leads until the work returns; whether that was because leadership was lost. */
  async #serve(signal: AbortSignal, lead: Lead): Promise<boolean> {
    const { logger } = this.#options;
    const stop = new AbortController();
    const over = new AbortController();
    const onAbort = (): void => stop.abort(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
    logger.info(`Leading by ${this.#name}`);
    const renewals = this.#renewUntil(over.signal, stop);
    try {
      await lead(stop.signal);
    } finally {
      signal.removeEventListener('abort', onAbort);
      over.abort();
      await renewals;
      await this.#release();
    }
    return hasCode(stop.signal.reason, 'LeadershipLost');
  }

  // I2: `stop` aborts when the deadline has passed without a renewal, or somebody else leads.
  async #renewUntil(over: AbortSignal, stop: AbortController): Promise<void> {
    const { clock } = this.#options;
    const ended = new AbortController();
    const end = (): void => ended.abort();
    over.addEventListener('abort', end, { once: true });
    let deadline: Timer | undefined;
    const watch = (): void => {
      deadline?.cancel();
      if (ended.signal.aborted) return;
      if (this.isLeader) deadline = clock.after(this.#leftMs(), watch);
      else this.#lose(stop, ended);
    };
    watch();
    while (await sleep(clock, this.#timings.retryMs, ended.signal)) {
      await this.#attempt(ended.signal);
      watch();
    }
    deadline?.cancel();
    over.removeEventListener('abort', end);
  }

  #lose(stop: AbortController, ended: AbortController): void {
    const text = `Cannot lead by ${this.#name} any longer: not renewed in time, or taken over`;
    this.#options.logger.warn(text);
    stop.abort(new ReconcileError('LeadershipLost', text, { retry: 'later' }));
    ended.abort();
  }

  #leftMs(): number {
    return Math.max(0, this.#heldUntilMs - this.#options.clock.monotonicMs());
  }

  /** Tries once to take or to renew the Lease; a failure is for the next try to deal with. */
  async #attempt(signal: AbortSignal): Promise<void> {
    try {
      await within(this.#bound(signal), (bounded) => this.#takeOrRenew(bounded));
      this.#failures = 0;
    } catch (error) {
      // The write may have been carried out, or lost against another one.
      this.#isStale = true;
      if (!signal.aborted) this.#report(error);
    }
  }

  async #takeOrRenew(signal: AbortSignal): Promise<void> {
    const { clock, identity, lease: key } = this.#options;
    const candidate = { identity, leaseMs: this.#timings.leaseMs };
    const seen = await this.#look(signal);
    const sentMs = clock.monotonicMs();
    const step = decideElection(candidate, seen, sentMs);
    if (step === 'wait') {
      this.#heldUntilMs = Number.NEGATIVE_INFINITY;
      this.#isStale = true;
      return;
    }
    const { lease } = seen;
    const written =
      lease === undefined
        ? await this.#leases.create(newLease(candidate, key, clock.now()), { signal })
        : await this.#leases.update(heldLease(candidate, lease, clock.now()), { signal });
    this.#see(written);
    this.#heldUntilMs = sentMs + this.#timings.renewDeadlineMs;
  }

  async #look(signal: AbortSignal): Promise<SeenLease> {
    if (!this.#isStale && this.#seen !== undefined) return this.#seen;
    return this.#see(await this.#leases.tryGet(this.#options.lease, { signal }));
  }

  #see(lease: Lease | undefined): SeenLease {
    const known = this.#seen;
    const isSame =
      known !== undefined &&
      known.lease?.metadata.resourceVersion === lease?.metadata.resourceVersion;
    const sinceMs = isSame ? known.sinceMs : this.#options.clock.monotonicMs();
    this.#isStale = false;
    this.#seen = { lease, sinceMs };
    return this.#seen;
  }

  // I4. Best effort: who cannot be reached is waited for.
  async #release(): Promise<void> {
    if (!this.isLeader) return;
    this.#heldUntilMs = Number.NEGATIVE_INFINITY;
    const { clock, identity, logger } = this.#options;
    try {
      await within(this.#bound(), async (signal) => {
        const { lease } = await this.#look(signal);
        if (lease?.spec?.holderIdentity !== identity) return;
        await this.#leases.update(releasedLease(lease, clock.now()), { signal });
      });
    } catch (error) {
      logger.warn(`Cannot give back ${this.#name}: ${errorMessage(error)}`);
    }
    this.#isStale = true;
  }

  /** Half the renew deadline, so that there is time for another try. */
  #bound(signal?: AbortSignal): Bound {
    return { clock: this.#options.clock, timeoutMs: this.#timings.renewDeadlineMs / 2, signal };
  }

  // The first failure of a row is news; the others repeat it every two seconds.
  #report(error: unknown): void {
    const { logger } = this.#options;
    const text = `Cannot renew or take ${this.#name}: ${errorMessage(error)}`;
    const isNews = this.#failures++ === 0 && !hasCode(error, 'Conflict');
    if (isNews) logger.warn(text);
    else logger.debug(text);
  }

  get #name(): string {
    return `Lease "${formatObjectKey(this.#options.lease)}"`;
  }
}
