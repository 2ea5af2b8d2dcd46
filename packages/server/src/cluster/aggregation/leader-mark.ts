import { type Clock, errorMessage, hasCode, type Logger, sleep } from '@fnlet/base';
import type { Client, ResourceClient } from '@fnlet/client';
import type { KubeObject, ResourceType } from '@fnlet/machinery';
import { leadsLabel } from '../names.ts';
import { leaderMarkLookMs, leaderMarkRetryMs } from './limits.ts';

const podType: ResourceType = {
  group: '',
  version: 'v1',
  kind: 'Pod',
  plural: 'pods',
  namespaced: true,
};

export interface LeaderMarkOptions {
  readonly client: Client;
  /** Of the installation. */
  readonly namespace: string;
  /** Of this Pod. */
  readonly podName: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Labels the Pod of the replica that leads, which a Service selects. The Service of Runners and
 * Gateways selects nothing instead, for they must not wait for what writes its endpoints; but API
 * servers before 1.33 pass requests on only to endpoints that Kubernetes has made of a selector.
 */
export class LeaderMark {
  readonly #options: LeaderMarkOptions;
  readonly #pods: ResourceClient<KubeObject>;

  constructor(options: LeaderMarkOptions) {
    this.#options = options;
    this.#pods = options.client.of(podType);
  }

  /** Keeps this Pod marked, and no other, until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, logger } = this.#options;
    while (!signal.aborted) {
      let waitMs = leaderMarkLookMs;
      try {
        await this.#mark(signal);
      } catch (error) {
        if (signal.aborted) return;
        waitMs = leaderMarkRetryMs;
        logger.warn('Cannot mark the Pod that leads', { error: errorMessage(error) });
      }
      await sleep(clock, waitMs, signal);
    }
  }

  async #mark(signal: AbortSignal): Promise<void> {
    const { namespace, podName } = this.#options;
    const labelSelector = `${leadsLabel}=true`;
    const { items } = await this.#pods.list({ namespace, labelSelector, signal });
    const marked = items.map(({ metadata }) => metadata.name);
    for (const name of marked) if (name !== podName) await this.#label(name, null, signal);
    if (!marked.includes(podName)) await this.#label(podName, 'true', signal);
  }

  /** A Pod that is gone needs no other label; its own would not be gone while it runs. */
  async #label(name: string, value: 'true' | null, signal: AbortSignal): Promise<void> {
    const { namespace } = this.#options;
    const patch = { metadata: { labels: { [leadsLabel]: value } } };
    try {
      await this.#pods.patch({ namespace, name }, { type: 'merge', patch }, { signal });
    } catch (error) {
      if (!hasCode(error, 'NotFound') || value !== null) throw error;
    }
  }
}
