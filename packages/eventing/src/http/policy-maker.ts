import type { HttpSource } from '@fnlet/api';
import type { Clock, Logger, MetricFamily } from '@fnlet/base';
import {
  createJsonFetcher,
  RoutePolicies,
  type RoutePolicySettings,
} from '@fnlet/gateway/policies';
import { closed, type MadePolicy } from './made-policy.ts';
import { planRoutePolicy, type SecretValues } from './plan-route-policy.ts';

/** What policies are made by, and what counts for them. */
export type PolicyRoom = Pick<RoutePolicies, 'make' | 'forget' | 'metrics'>;

/** Makes policies of what Triggers and Secrets say. Loaded when the first Trigger demands something. */
export class PolicyMaker {
  readonly #policies: PolicyRoom;

  constructor(options: {
    readonly clock: Clock;
    readonly logger: Logger;
    readonly createPolicies?: (() => PolicyRoom) | undefined;
  }) {
    const { clock, logger, createPolicies } = options;
    this.#policies =
      createPolicies?.() ??
      new RoutePolicies({ clock, logger, fetchJson: createJsonFetcher({ clock }) });
  }

  /** The policy of a Trigger; `before` itself where nothing has changed. */
  make(
    id: string,
    asked: {
      readonly source: HttpSource;
      readonly secrets: ReadonlyMap<string, SecretValues>;
      readonly before: MadePolicy | undefined;
    },
  ): MadePolicy {
    const { source, secrets, before } = asked;
    const plan = planRoutePolicy(source, secrets);
    const content = plan.kind === 'whole' ? contentOf(plan.settings) : plan.message;
    if (before?.content === content) {
      return plan.kind === 'whole' ? { ...before, remarks: plan.remarks } : before;
    }
    if (plan.kind === 'incomplete') return closed(plan.message);
    return { policy: this.#policies.make(id, plan.settings), remarks: plan.remarks, content };
  }

  metrics(): readonly MetricFamily[] {
    return this.#policies.metrics((id) => {
      const [namespace = '', trigger = ''] = id.split('/');
      return { namespace, trigger };
    });
  }

  forget(id: string): void {
    this.#policies.forget(id);
  }
}

function contentOf(settings: RoutePolicySettings): string {
  return JSON.stringify(settings, (_, value: unknown) =>
    value instanceof Map ? [...value.entries()] : value,
  );
}
