/**
 * Owns the counts of what an operator does, under the names and labels that controller-runtime and
 * client-go give them, so that dashboards made for those fit; what they do not count is `fnlet_…`.
 *
 * I1. Labels are names of controllers, kinds and outcomes, never of objects: so there are never
 *     more series than controllers x outcomes plus kinds.
 * I2. What can be read at any time (depths, ages, cache sizes, leadership) is read when it is asked
 *     for, and costs nothing before.
 */
import { formatMetrics, Histogram, type MetricFamily } from '@fnlet/base';
import type { Cache, Transport } from '@fnlet/client';
import type { KubeObject } from '@fnlet/machinery';
import type { ChildOutcome } from '../apply/child-outcome.ts';
import type { Controller } from '../controller.ts';
import type { ControllerObserver, ReconcileOutcome } from '../controller-observer.ts';
import { cacheFamilies } from './cache-families.ts';
import { countWrites } from './count-writes.ts';
import { CounterFamily } from './counter-family.ts';
import { queueSecondsEdges, reconcileSecondsEdges } from './limits.ts';
import { queueFamilies } from './queue-families.ts';

export interface OperatorMetricsOptions {
  /** The caches in use, such as those of a Manager. Default: none. */
  readonly caches?: () => readonly Cache<KubeObject>[];
  /** Under which name this process takes part in an election, and whether it leads. Default: none. */
  readonly election?: { readonly name: string; readonly isLeader: () => boolean };
}

/** The metrics of one operator process. */
export interface OperatorMetrics {
  /** Hears a controller of this name; give it to the controller as its `observer`. */
  observe(name: string): ControllerObserver;
  /** Reads the queue of this controller whenever metrics are asked for. */
  add(controller: Pick<Controller, 'name' | 'stats'>): void;
  /** Forgets a controller that has ended, with the series of its name. */
  remove(controller: Pick<Controller, 'name'>): void;
  /** Counts the writes that go through; give the result to `createClient`. */
  countWrites(transport: Transport): Transport;
  /** Counts the children for which a reconcile found nothing to write. */
  countSuppressed(outcomes: readonly ChildOutcome[]): void;
  /** All of it in the text format of Prometheus (0.0.4). */
  text(): string;
}

/** @example controller({ …, observer: metrics.observe('sites') }); metrics.add(controller); */
export function createOperatorMetrics(options: OperatorMetricsOptions = {}): OperatorMetrics {
  return new PrometheusMetrics(options);
}

const results: Readonly<Record<ReconcileOutcome, string>> = {
  done: 'success',
  requeued: 'requeue_after',
  failed: 'error',
  terminal: 'error',
  exhausted: 'error',
};

class PrometheusMetrics implements OperatorMetrics {
  readonly #options: OperatorMetricsOptions;
  #controllers: readonly Pick<Controller, 'name' | 'stats'>[] = [];
  readonly #adds = new CounterFamily('workqueue_adds_total', 'Keys that began to wait.');
  readonly #retries = new CounterFamily('workqueue_retries_total', 'Tries again after a failure.');
  readonly #waits = new Histogram(
    'workqueue_queue_duration_seconds',
    'How long a key that was due waited for a worker.',
    queueSecondsEdges,
  );
  readonly #works = new Histogram(
    'workqueue_work_duration_seconds',
    'How long the run of a key took.',
    queueSecondsEdges,
  );
  readonly #reconciles = new CounterFamily(
    'controller_runtime_reconcile_total',
    'Reconciles, by their result.',
  );
  readonly #errors = new CounterFamily(
    'controller_runtime_reconcile_errors_total',
    'Reconciles that failed.',
  );
  readonly #terminalErrors = new CounterFamily(
    'controller_runtime_terminal_reconcile_errors_total',
    'Reconciles that failed and are not tried again before something changes.',
  );
  readonly #times = new Histogram(
    'controller_runtime_reconcile_time_seconds',
    'How long a reconcile took.',
    reconcileSecondsEdges,
  );
  readonly #writes = new CounterFamily(
    'fnlet_writes_total',
    'Writes that were sent to the API, by verb and status; dry runs aside.',
  );
  readonly #suppressed = new CounterFamily(
    'fnlet_writes_suppressed_total',
    'Children that were not written because nothing would have changed.',
  );

  constructor(options: OperatorMetricsOptions) {
    this.#options = options;
  }

  observe(name: string): ControllerObserver {
    const queue = { controller: name, name };
    const controller = { controller: name };
    this.#adds.add(queue, 0);
    this.#retries.add(queue, 0);
    this.#errors.add(controller, 0);
    this.#terminalErrors.add(controller, 0);
    return {
      added: () => this.#adds.add(queue),
      retried: () => this.#retries.add(queue),
      taken: (waitedMs) => this.#waits.observe(queue, waitedMs / 1000),
      finished: (tookMs) => this.#works.observe(queue, tookMs / 1000),
      reconciled: (outcome, tookMs) => {
        const result = results[outcome];
        this.#reconciles.add({ ...controller, result });
        if (result === 'error') this.#errors.add(controller);
        if (outcome === 'terminal' || outcome === 'exhausted') this.#terminalErrors.add(controller);
        this.#times.observe(controller, tookMs / 1000);
      },
    };
  }

  add(controller: Pick<Controller, 'name' | 'stats'>): void {
    this.#controllers = [...this.#controllers, controller];
  }

  remove({ name }: Pick<Controller, 'name'>): void {
    this.#controllers = this.#controllers.filter((one) => one.name !== name);
    const counted = [this.#adds, this.#retries, this.#reconciles, this.#errors];
    const timed = [this.#terminalErrors, this.#waits, this.#works, this.#times];
    for (const one of [...counted, ...timed]) one.remove({ controller: name });
  }

  countWrites(transport: Transport): Transport {
    return countWrites(transport, (verb, code) => this.#writes.add({ verb, code }));
  }

  countSuppressed(outcomes: readonly ChildOutcome[]): void {
    const same = outcomes.filter((child) => child.kind === 'skipped' && child.reason === 'Same');
    this.#suppressed.add({}, same.length);
  }

  text(): string {
    const { caches } = this.#options;
    const counted = [this.#adds, this.#retries, this.#waits, this.#works, this.#reconciles];
    const timed = [this.#errors, this.#terminalErrors, this.#times, this.#writes, this.#suppressed];
    return formatMetrics([
      ...queueFamilies(this.#controllers),
      ...[...counted, ...timed].map((one) => one.family()),
      ...cacheFamilies(caches?.() ?? []),
      ...this.#electionFamilies(),
    ]);
  }

  #electionFamilies(): MetricFamily[] {
    const { election } = this.#options;
    if (election === undefined) return [];
    const value = election.isLeader() ? 1 : 0;
    const samples = [{ labels: { name: election.name }, value }];
    const help = '1 while this process leads, 0 while it stands by.';
    return [{ name: 'leader_election_master_status', type: 'gauge', help, samples }];
  }
}
