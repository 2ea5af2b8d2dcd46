import type { MetricFamily } from '@fnlet/base';
import type { PolicyRequest, RoutePolicy, Verdict } from './route-policy.ts';

/**
 * How often each policy let requests through, and why not. Reasons are codes of our own, so that a
 * policy has few of them; what was counted goes with the policy.
 */
export class VerdictCounts {
  /** By name of the policy, then by verdict. */
  readonly #counts = new Map<string, Map<string, number>>();

  /** The same policy, counted under this name. */
  counted(name: string, policy: RoutePolicy): RoutePolicy {
    const counts = this.#counts.get(name) ?? new Map<string, number>();
    this.#counts.set(name, counts);
    const count = (verdict: Verdict): Verdict => {
      const said = verdict.kind === 'pass' ? 'admitted' : verdict.answer.code;
      counts.set(said, (counts.get(said) ?? 0) + 1);
      return verdict;
    };
    return {
      admit(request: PolicyRequest) {
        const verdict = policy.admit(request);
        return verdict instanceof Promise ? verdict.then(count) : count(verdict);
      },
    };
  }

  forget(name: string): void {
    this.#counts.delete(name);
  }

  /** `labelsOf`: what names a policy. */
  family(labelsOf: (name: string) => Readonly<Record<string, string>>): MetricFamily {
    return {
      name: 'fnlet_route_requests_total',
      type: 'counter',
      help: 'Requests of routes that demand something, by what was said: admitted, or why not.',
      samples: [...this.#counts].flatMap(([name, counts]) =>
        [...counts].map(([verdict, value]) => ({
          labels: { ...labelsOf(name), verdict },
          value,
        })),
      ),
    };
  }
}
