/** What custom sources consist of: what looks after it is loaded with the first of them. */
import type { TriggerObject } from '@fnlet/api';
import type { GatewayUrls } from '../../http/plan-trigger-status.ts';
import type { EventEndpoints } from '../http/event-endpoints.ts';
import { customEndpoint } from './custom-endpoint.ts';
import { sinkUrl } from './event-sinks.ts';
import type { SourceChildren, SourceChildrenOptions } from './source-children.ts';

export interface LateSourceChildrenOptions extends SourceChildrenOptions {
  readonly endpoints: EventEndpoints;
  /** Where the Gateway is reached, once it listens. */
  readonly gatewayUrls: Promise<GatewayUrls>;
}

export class LateSourceChildren {
  readonly #options: LateSourceChildrenOptions;
  #loading: Promise<SourceChildren> | undefined;

  constructor(options: LateSourceChildrenOptions) {
    this.#options = options;
  }

  /** Makes what is there of a Trigger's source true, if it has something, or had. */
  async reconcile(trigger: TriggerObject, signal: AbortSignal): Promise<void> {
    const { spec, status } = trigger;
    // The status tells of the source that it had before an edit.
    if (spec.source.custom === undefined && status?.type !== 'custom') return;
    const { endpoints, gatewayUrls } = this.#options;
    const { namespace = '', name } = trigger.metadata;
    this.#loading ??= import('./source-children.ts').then(
      (module) => new module.SourceChildren(this.#options),
    );
    const { http } = await gatewayUrls;
    const children = await this.#loading;
    const trouble = await children.reconcile(trigger, sinkUrl(http, namespace, name), signal);
    const endpoint = customEndpoint(namespace, name);
    if (spec.source.custom === undefined) endpoints.remove(endpoint);
    else endpoints.tell(endpoint, trouble);
  }

  /** Lets go of what is remembered of a Trigger that is gone. */
  forget(trigger: TriggerObject): void {
    const { namespace = '', name } = trigger.metadata;
    this.#options.endpoints.remove(customEndpoint(namespace, name));
    void this.#loading?.then((children) => children.forget(trigger));
  }

  async close(): Promise<void> {
    await (await this.#loading)?.close();
  }
}
