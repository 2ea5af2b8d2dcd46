import { type ApiExtension, jsonResponse } from '@fnlet/apiserver/extension';
import type { Clock } from '@fnlet/base';
import { statusError } from '@fnlet/machinery';
import type { NumberSource } from './metrics-api/demand-numbers.ts';
import {
  customMetricsGroup,
  externalMetricsGroup,
  type MetricsGroup,
  metricsResources,
  metricsVersions,
} from './metrics-api/measured-metric.ts';

/**
 * The numbers of Functions and Triggers as the metrics APIs of Kubernetes, which autoscalers read:
 * they are known once Functions run.
 */
export class LateMetrics {
  readonly apis: readonly ApiExtension[];
  readonly #clock: Clock;
  #source: NumberSource | undefined;
  /** On the monotonic clock: what is told before would be too little. */
  #knownFromMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.apis = [this.api(customMetricsGroup), this.api(externalMetricsGroup)];
  }

  /** Functions run now; until `afterMs` they were not measured for long enough. Default: 0. */
  begin(source: NumberSource, { afterMs = 0 }: { readonly afterMs?: number } = {}): void {
    this.#source = source;
    this.#knownFromMs = this.#clock.monotonicMs() + afterMs;
  }

  /** What answers for one of the groups. */
  api(group: MetricsGroup): ApiExtension {
    const resources = metricsResources(group);
    return {
      group,
      versions: metricsVersions[group].map((version) => ({ version, resources })),
      answer: async ({ version, namespace, plural, name, subresource }, request) => {
        const source = this.#source;
        if (source === undefined) throw notYet('functions do not run yet, so nothing is measured');
        if (this.#clock.monotonicMs() < this.#knownFromMs) {
          // Who is told too little scales down: nothing is better, which is no reason to.
          throw notYet('this controller began to lead a moment ago, and has not measured enough');
        }
        const { answerMetrics } = await import('./metrics-api/answer-metrics.ts');
        const below = subresource === undefined ? [] : subresource.split('/');
        const rest = [plural, ...(name === undefined ? [] : [name]), ...below];
        const { method, query, signal } = request;
        const asked = { method, group, version, namespace, rest, query, signal };
        return jsonResponse(200, await answerMetrics(asked, { source, now: this.#clock.now() }));
      },
    };
  }
}

function notYet(text: string): Error {
  return statusError('ServiceUnavailable', text, { retryAfterSeconds: 1 });
}
