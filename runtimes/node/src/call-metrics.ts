import type { Specialisation } from '@fnlet/invocation';
import { Histogram } from './histogram.ts';

/** What is counted of a call that is over. */
export interface CallOutcome {
  readonly method: string;
  readonly durationMs: number;
  /** Whether its handler threw, or did not answer in time. */
  readonly failed: boolean;
}

// The bounds that Prometheus's own clients have, in seconds.
const secondsBounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
// Those of Kyma's runtime, in milliseconds.
const millisecondsBounds = [
  0, 5, 10, 25, 50, 75, 100, 250, 500, 750, 1000, 2500, 5000, 7500, 10_000,
];

/**
 * The calls of one Function in this Instance, counted by HTTP method, of which a parser of HTTP
 * knows a few dozen. Names and labels are those that Kyma's and Kubeless's dashboards ask for.
 */
export class CallMetrics {
  readonly #byMethod = new Map<string, MethodMetrics>();

  observe(outcome: CallOutcome): void {
    let metrics = this.#byMethod.get(outcome.method);
    if (metrics === undefined) {
      metrics = new MethodMetrics();
      this.#byMethod.set(outcome.method, metrics);
    }
    metrics.observe(outcome);
  }

  /** All of it in the text format of Prometheus. */
  render(specialisation: Specialisation | undefined): string {
    const all = [...this.#byMethod].map(([method, metrics]) => ({
      metrics,
      labels: labelsOf(method, specialisation),
    }));
    const family = (name: string, kind: string, sample: (entry: (typeof all)[number]) => string) =>
      `# HELP ${name} ${help[name]}\n# TYPE ${name} ${kind}\n${all.map(sample).join('')}`;
    const counter = (name: string, count: (metrics: MethodMetrics) => number): string =>
      family(name, 'counter', ({ labels, metrics }) => `${name}{${labels}} ${count(metrics)}\n`);
    return [
      counter('function_calls_total', ({ calls }) => calls),
      counter('function_failures_total', ({ failures }) => failures),
      family(seconds, 'histogram', ({ labels, metrics }) =>
        metrics.seconds.render(seconds, labels),
      ),
      specialisation?.compatibility === 'kyma'
        ? family(milliseconds, 'histogram', ({ labels, metrics }) =>
            metrics.milliseconds.render(milliseconds, labels),
          )
        : '',
    ].join('');
  }
}

const seconds = 'function_duration_seconds';
// Kyma's spelling, which its dashboards repeat.
const milliseconds = 'function_duration_miliseconds';

const help: Readonly<Record<string, string>> = {
  function_calls_total: 'Calls that were taken.',
  function_failures_total: 'Calls whose handler threw or did not answer in time.',
  [seconds]: 'Time from a request to the end of its answer, in seconds.',
  [milliseconds]: 'Time from a request to the end of its answer, in milliseconds.',
};

class MethodMetrics {
  calls = 0;
  failures = 0;
  readonly seconds = new Histogram(secondsBounds);
  readonly milliseconds = new Histogram(millisecondsBounds);

  observe({ durationMs, failed }: CallOutcome): void {
    this.calls += 1;
    if (failed) this.failures += 1;
    this.seconds.observe(durationMs / 1000);
    this.milliseconds.observe(durationMs);
  }
}

// Kubeless's Node runtime puts the module before the method, Kyma's has the name of the Function as
// the scope of OpenTelemetry.
function labelsOf(method: string, specialisation: Specialisation | undefined): string {
  if (specialisation?.compatibility === 'kyma') {
    return `method="${method}",otel_scope_name="${specialisation.function}"`;
  }
  const module = specialisation?.env.MOD_NAME;
  const isKubeless = specialisation?.compatibility === 'kubeless' && module !== undefined;
  return `method="${isKubeless ? `${escaped(module)}-` : ''}${method}"`;
}

function escaped(value: string): string {
  return value.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n');
}
