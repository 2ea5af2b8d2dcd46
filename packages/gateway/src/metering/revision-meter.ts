import type { MetricFamily, MetricSample } from '@fnlet/base';
import {
  type ColdStartPhase,
  coldStartPhases,
  splitColdStart,
  type WakeTimes,
} from './cold-start.ts';
import { Tally } from './tally.ts';

type Labels = Readonly<Record<string, string>>;

/** From what a warm call takes here to what the longest timeouts allow. */
const durationEdgesMs = [
  ...[0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500],
  ...[1_000, 2_500, 5_000, 10_000, 30_000, 60_000],
];
const wakeEdgesMs = [1, 2.5, 5, 10, 20, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000];

export type RevisionLabels = Readonly<Record<'namespace' | 'function' | 'revision', string>>;

/** What became of the calls of one Revision; all of it only grows. */
export class RevisionMeter {
  readonly labels: RevisionLabels;
  readonly #codes = new Map<number, number>();
  readonly #durations = new Tally(durationEdgesMs);
  #waits: Tally | undefined;
  #wakes: Readonly<Record<ColdStartPhase | 'total', Tally>> | undefined;
  #cut = 0;
  #retries = 0;
  #refusedRetries = 0;
  #ejections = 0;
  #nearCalls = 0;
  #farCalls = 0;

  constructor(labels: RevisionLabels) {
    this.labels = labels;
  }

  /** An answer began: of an Instance, or of the Gateway on its behalf. */
  onAnswer(status: number, durationMs: number): void {
    this.#codes.set(status, (this.#codes.get(status) ?? 0) + 1);
    this.#durations.add(durationMs);
  }

  /** An answer broke off. */
  onCut(): void {
    this.#cut++;
  }

  /** A parked call got an Instance. */
  onPlaced(waitedMs: number): void {
    this.#waits ??= new Tally(wakeEdgesMs);
    this.#waits.add(waitedMs);
  }

  /** A call that woke the Function, or waited for that, is answered. */
  onColdStart(times: WakeTimes): void {
    const tally = (): Tally => new Tally(wakeEdgesMs);
    this.#wakes ??= {
      ...{ queue: tally(), acquire: tally(), load: tally(), first_byte: tally() },
      total: tally(),
    };
    const phases = splitColdStart(times);
    for (const phase of coldStartPhases) this.#wakes[phase].add(phases[phase]);
    this.#wakes.total.add(times.answeredMs - times.arrivedMs);
  }

  /** `paid`: it is made; otherwise the calls that arrived did not pay for it. */
  onRetry(paid: boolean): void {
    if (paid) this.#retries++;
    else this.#refusedRetries++;
  }

  onEjected(): void {
    this.#ejections++;
  }

  /** A call went to an Instance of which it is known whether it is in this zone. */
  onZone(near: boolean): void {
    if (near) this.#nearCalls++;
    else this.#farCalls++;
  }

  /** Adds what it counted to the samples of each family. */
  collect(into: RevisionSamples): void {
    const { labels } = this;
    for (const [code, value] of this.#codes) {
      into.requests.push({ labels: { ...labels, code: String(code) }, value });
    }
    into.durations.push(...this.#durations.samples(labels));
    if (this.#waits !== undefined) into.waits.push(...this.#waits.samples(labels));
    if (this.#wakes !== undefined) {
      for (const phase of coldStartPhases) {
        into.phases.push(...this.#wakes[phase].samples({ ...labels, phase }));
      }
      into.wakes.push(...this.#wakes.total.samples(labels));
    }
    push(into.cut, labels, this.#cut);
    push(into.retries, { ...labels, result: 'made' }, this.#retries);
    push(into.retries, { ...labels, result: 'refused' }, this.#refusedRetries);
    push(into.ejections, labels, this.#ejections);
    push(into.zones, { ...labels, zone: 'same' }, this.#nearCalls);
    push(into.zones, { ...labels, zone: 'other' }, this.#farCalls);
  }
}

/** Samples of all Revisions, by the family that they belong to. */
export type RevisionSamples = Record<FamilyName, MetricSample[]>;

type FamilyName =
  | 'requests'
  | 'durations'
  | 'waits'
  | 'wakes'
  | 'phases'
  | 'cut'
  | 'retries'
  | 'ejections'
  | 'zones';

const families: Readonly<Record<FamilyName, Omit<MetricFamily, 'samples'>>> = {
  requests: {
    name: 'fnlet_requests_total',
    type: 'counter',
    help: 'Calls answered, by the status of the answer.',
  },
  durations: {
    name: 'fnlet_request_duration_seconds',
    type: 'histogram',
    help: 'From the head of a call to the beginning of its answer.',
  },
  waits: {
    name: 'fnlet_queue_wait_seconds',
    type: 'histogram',
    help: 'How long calls that were parked waited for an Instance.',
  },
  wakes: {
    name: 'fnlet_cold_start_seconds',
    type: 'histogram',
    help: 'How long calls waited for their answer that found no Instance awake.',
  },
  phases: {
    name: 'fnlet_cold_start_phase_seconds',
    type: 'histogram',
    help:
      'What those calls waited for: queue, until an Instance was asked for; acquire, until there ' +
      'was a Runner; load, until it had loaded the code; first_byte, until it answered.',
  },
  cut: {
    name: 'fnlet_cut_answers_total',
    type: 'counter',
    help: 'Answers that broke off after they had begun.',
  },
  retries: {
    name: 'fnlet_retries_total',
    type: 'counter',
    help: 'Calls to be tried again: made, or refused since too many were tried again already.',
  },
  ejections: {
    name: 'fnlet_ejections_total',
    type: 'counter',
    help: 'Instances left alone for a while, since their calls failed.',
  },
  zones: {
    name: 'fnlet_zone_requests_total',
    type: 'counter',
    help: 'Calls sent to Instances, by whether they are in the zone of the Gateway.',
  },
};

/** The families of these samples; those without any are left out. */
export function revisionFamilies(
  collect: (into: RevisionSamples) => void,
): readonly MetricFamily[] {
  const samples: RevisionSamples = {
    ...{ requests: [], durations: [], waits: [], wakes: [] },
    ...{ phases: [], cut: [], retries: [], ejections: [], zones: [] },
  };
  collect(samples);
  const named: readonly (readonly [FamilyName, readonly MetricSample[]])[] = [
    ['requests', samples.requests],
    ['durations', samples.durations],
    ['waits', samples.waits],
    ['wakes', samples.wakes],
    ['phases', samples.phases],
    ['cut', samples.cut],
    ['retries', samples.retries],
    ['ejections', samples.ejections],
    ['zones', samples.zones],
  ];
  return named.flatMap(([name, found]) =>
    found.length === 0 ? [] : [{ ...families[name], samples: found }],
  );
}

function push(into: MetricSample[], labels: Labels, value: number): void {
  if (value > 0) into.push({ labels, value });
}
