/**
 * What the routes of Triggers demand of requests: made of what their sources and the Secrets that
 * they name say, and made anew when either changes.
 *
 * I1. A Trigger whose demands cannot be met (a Secret is not there) has a route that lets nobody
 *     through. Nothing is ever open for want of what would have closed it.
 * I2. Values of Secrets are read when they are needed, and only hashes of them are kept.
 */
import type { HttpSource } from '@fnlet/api';
import type { Clock, Logger, MetricFamily } from '@fnlet/base';
import type { Client } from '@fnlet/client';
import type { KubeObject, ResourceType } from '@fnlet/machinery';
import { closed, type MadePolicy } from './made-policy.ts';
import type { PolicyMaker, PolicyRoom } from './policy-maker.ts';
import { hasPolicy, policySecrets } from './policy-secrets.ts';

export interface TriggerPoliciesOptions {
  readonly client: Client;
  /** What policies are made by. Default: what a Gateway in this process has them judged by. */
  readonly createPolicies?: (() => PolicyRoom) | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A Trigger whose policy is asked for. */
export interface PolicyOwner {
  readonly id: string;
  readonly namespace: string;
  readonly source: HttpSource;
}

interface Secret extends KubeObject {
  /** Values in base64. */
  readonly data?: Readonly<Record<string, string>>;
}

/** How Secrets are addressed. */
export const secretType: ResourceType = {
  group: '',
  version: 'v1',
  kind: 'Secret',
  plural: 'secrets',
  namespaced: true,
};

export class TriggerPolicies {
  readonly #options: TriggerPoliciesOptions;
  readonly #made = new Map<string, MadePolicy>();
  #maker: Promise<PolicyMaker> | undefined;
  #loaded: PolicyMaker | undefined;

  constructor(options: TriggerPoliciesOptions) {
    this.#options = options;
  }

  /** The policy of a Trigger, as it was prepared last; `undefined` for one that demands nothing. */
  of(id: string): MadePolicy | undefined {
    return this.#made.get(id);
  }

  /**
   * Makes the policy of a Trigger anew, where something has changed.
   *
   * @throws what the API answers when a Secret cannot be read; the policy before stays
   */
  async prepare(owner: PolicyOwner, signal?: AbortSignal): Promise<void> {
    const { id, source } = owner;
    if (!hasPolicy(source)) {
      await this.remove(id);
      return;
    }
    const secrets = await this.#readSecrets(owner, signal);
    const maker = await this.#load();
    this.#made.set(id, maker.make(id, { source, secrets, before: this.#made.get(id) }));
  }

  /** Lets nobody through, for now. */
  close(id: string, why: string): void {
    this.#made.set(id, closed(why));
  }

  async remove(id: string): Promise<void> {
    if (this.#made.delete(id)) (await this.#load()).forget(id);
  }

  async #readSecrets(
    { namespace, source }: PolicyOwner,
    signal: AbortSignal | undefined,
  ): Promise<ReadonlyMap<string, Readonly<Record<string, string>>>> {
    const client = this.#options.client.of<Secret>(secretType);
    const found = new Map<string, Readonly<Record<string, string>>>();
    for (const name of policySecrets(source)) {
      const secret = await client.tryGet(
        { namespace, name },
        signal === undefined ? {} : { signal },
      );
      if (secret !== undefined) found.set(name, decode(secret.data ?? {}));
    }
    return found;
  }

  /** What became of requests of Triggers that demand something. */
  metrics(): readonly MetricFamily[] {
    return this.#loaded?.metrics() ?? [];
  }

  // Most Triggers demand nothing; what checks credentials is loaded by the first that does.
  async #load(): Promise<PolicyMaker> {
    this.#maker ??= import('./policy-maker.ts').then((module) => {
      this.#loaded = new module.PolicyMaker(this.#options);
      return this.#loaded;
    });
    return this.#maker;
  }
}

function decode(data: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const entries = Object.entries(data);
  return Object.fromEntries(
    entries.map(([key, value]) => [key, Buffer.from(value, 'base64').toString()]),
  );
}
