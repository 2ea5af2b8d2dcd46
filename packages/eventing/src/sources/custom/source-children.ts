/**
 * What custom sources consist of besides their Triggers: Secrets with tokens, Deployments.
 *
 * I1. A token is made once, and again when its Secret is gone; nobody else's Secret is taken.
 * I2. With the Trigger they go (owner references), and with another kind of source, too.
 * I3. One watch shows the Deployments of all Triggers; it begins with the first.
 */
import { customSourceName, type TriggerObject, triggerType } from '@fnlet/api';
import { type Clock, type Logger, type Random, randomName } from '@fnlet/base';
import { type Cache, type Client, createCache } from '@fnlet/client';
import type { KubeObject, ObjectKey, ResourceType } from '@fnlet/machinery';
import {
  type ChildWriter,
  childrenCondition,
  createChildWriter,
  toPrimary,
} from '@fnlet/reconcile';
import { secretType } from '../../http/trigger-policies.ts';
import { customLimits } from './limits.ts';
import {
  findPodTrouble,
  isOwnedBy,
  planSourceChildren,
  sourceOfLabel,
} from './plan-source-children.ts';

const deploymentType: ResourceType = {
  group: 'apps',
  version: 'v1',
  kind: 'Deployment',
  plural: 'deployments',
  namespaced: true,
};

interface Secret extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

export interface SourceChildrenOptions {
  readonly client: Client;
  /** Has a Trigger looked at whose Deployment has changed. */
  readonly enqueue: (key: ObjectKey) => void;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

export class SourceChildren {
  readonly #options: SourceChildrenOptions;
  readonly #writer: ChildWriter;
  readonly #deployments: Cache<KubeObject>;
  readonly #stop = new AbortController();
  readonly #watching: Promise<void>;

  constructor(options: SourceChildrenOptions) {
    const { client, enqueue, clock, random, logger } = options;
    this.#options = options;
    const types = [secretType, deploymentType];
    this.#writer = createChildWriter({
      client,
      typeOf: (_, kind) => types.find((type) => type.kind === kind),
      observe: (object) => {
        if (object.kind === deploymentType.kind) this.#deployments.observe(object);
      },
      clock,
    });
    this.#deployments = createCache<KubeObject>({
      ...{ client, clock, random, logger },
      type: deploymentType,
      labelSelector: sourceOfLabel,
    });
    const owners = toPrimary(triggerType);
    this.#deployments.subscribe(({ object }) => {
      for (const key of owners(object)) enqueue(key);
    });
    this.#watching = this.#deployments.run(this.#stop.signal);
    this.#watching.catch((error: unknown) => {
      logger.error('Cannot watch the Deployments of sources', { error: String(error) });
    });
  }

  /**
   * Makes what is there of a source true.
   *
   * @param url where its events are sent
   * @returns why it brings no events, if so
   */
  async reconcile(
    trigger: TriggerObject,
    url: string,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    await this.#deployments.synced;
    const key = keyOf(trigger);
    const { client, random } = this.#options;
    const secret = await client.of<Secret>(secretType).tryGet(key, { signal });
    const deployment = this.#deployments.get(key);
    const observed = [secret, deployment].filter((object) => object !== undefined);
    const source = trigger.spec.source.custom;
    const kept = secret === undefined ? '' : tokenOf(secret);
    const token = kept === '' ? randomName(random, customLimits.tokenCharacters) : kept;
    const desired = source === undefined ? [] : planSourceChildren({ trigger, source, url, token });
    const own =
      source === undefined ? observed.filter((each) => isOwnedBy(each, trigger)) : observed;
    const outcomes = await this.#writer.apply({ primary: trigger, desired, observed: own, signal });
    const said = childrenCondition(outcomes);
    if (said.status !== 'True') return said.message;
    return findPodTrouble(trigger, this.#deployments.get(key));
  }

  /** Lets go of what is remembered of a Trigger that is gone. */
  forget({ metadata }: TriggerObject): void {
    this.#writer.forget(metadata.uid ?? '');
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#watching.catch(() => {});
  }
}

function keyOf({ metadata }: TriggerObject): ObjectKey {
  return { namespace: metadata.namespace ?? '', name: customSourceName(metadata.name) };
}

function tokenOf({ data }: Secret): string {
  return Buffer.from(data?.token ?? '', 'base64').toString();
}
