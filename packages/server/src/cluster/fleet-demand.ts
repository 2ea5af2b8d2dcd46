/**
 * What all Gateways together measured, as one Gateway would tell it.
 *
 * I1. Counters only grow: a Gateway that leaves takes nothing of what it has counted with it, and
 *     one that comes back counts on from what it said last.
 */
import type { Observation } from '@fnlet/gateway';
import type { Demand } from '@fnlet/scaling';
import type { ReportedDemand, ReportedDemands } from './fleet-message.ts';

type Counters = Omit<Demand, 'inFlight' | 'queued' | 'lastActiveMs'>;

interface Totals {
  counters: Counters;
  lastActiveMs: number;
  observation: Observation | undefined;
}

const noCounters: Counters = {
  ...{ arrivals: 0, concurrencyMs: 0, busyMs: 0, served: 0, servedMs: 0 },
};

/** What one connection has told last. */
export class ReplicaDemand {
  readonly demand: Map<string, ReportedDemand> = new Map();
  readonly observed: Map<string, Observation> = new Map();

  /** @param known what it had measured before it connected, which others were told of */
  constructor(known: ReportedDemands) {
    for (const [revision, demand] of Object.entries(known)) this.demand.set(revision, demand);
  }
}

export class FleetDemand {
  readonly #replicas = new Set<ReplicaDemand>();
  readonly #totals = new Map<string, Totals>();

  join(replica: ReplicaDemand, now: number): void {
    this.#replicas.add(replica);
    for (const [revision, { idleMs }] of replica.demand) {
      this.#touch(revision).lastActiveMs = now - idleMs;
    }
  }

  leave(replica: ReplicaDemand): void {
    this.#replicas.delete(replica);
  }

  report(replica: ReplicaDemand, demand: ReportedDemands, now: number): void {
    for (const [revision, after] of Object.entries(demand)) {
      const totals = this.#touch(revision);
      const before = replica.demand.get(revision) ?? noCounters;
      // A Gateway forgets what nobody called for long, and begins with nothing again.
      const since = after.arrivals < before.arrivals ? noCounters : before;
      totals.counters = grow(totals.counters, since, after);
      totals.lastActiveMs = Math.max(totals.lastActiveMs, now - after.idleMs);
      replica.demand.set(revision, after);
    }
  }

  observe(replica: ReplicaDemand, revision: string, after: Observation): void {
    const totals = this.#touch(revision);
    const known = replica.observed.get(revision);
    const before = known === undefined || after.calls < known.calls ? undefined : known;
    totals.observation = addObserved(totals.observation, before, after);
    replica.observed.set(revision, after);
  }

  of(revision: string): Demand {
    const totals = this.#totals.get(revision);
    let inFlight = 0;
    let queued = 0;
    for (const { demand } of this.#replicas) {
      const one = demand.get(revision);
      inFlight += one?.inFlight ?? 0;
      queued += one?.queued ?? 0;
    }
    const { counters = noCounters, lastActiveMs = 0 } = totals ?? {};
    return { ...counters, inFlight, queued, lastActiveMs };
  }

  observed(revision: string): Observation | undefined {
    return this.#totals.get(revision)?.observation;
  }

  /** Nobody asks about this one any more. */
  forget(revision: string): void {
    this.#totals.delete(revision);
    for (const { demand, observed } of this.#replicas) {
      demand.delete(revision);
      observed.delete(revision);
    }
  }

  forgetAllBut(isKept: (revision: string) => boolean): void {
    for (const revision of [...this.#totals.keys()]) if (!isKept(revision)) this.forget(revision);
  }

  #touch(revision: string): Totals {
    const known = this.#totals.get(revision);
    if (known !== undefined) return known;
    const made: Totals = { counters: noCounters, lastActiveMs: 0, observation: undefined };
    this.#totals.set(revision, made);
    return made;
  }
}

function grow(total: Counters, before: Counters, after: Counters): Counters {
  const of = (name: keyof Counters): number =>
    total[name] + Math.max(0, after[name] - before[name]);
  return {
    arrivals: of('arrivals'),
    concurrencyMs: of('concurrencyMs'),
    busyMs: of('busyMs'),
    served: of('served'),
    servedMs: of('servedMs'),
  };
}

function addObserved(
  total: Observation | undefined,
  before: Observation | undefined,
  after: Observation,
): Observation {
  const latencies = Uint32Array.from(
    after.latencies,
    (count, step) => (total?.latencies[step] ?? 0) + count - (before?.latencies[step] ?? 0),
  );
  return {
    calls: (total?.calls ?? 0) + after.calls - (before?.calls ?? 0),
    failures: (total?.failures ?? 0) + after.failures - (before?.failures ?? 0),
    latencies,
  };
}
