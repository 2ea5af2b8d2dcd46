/**
 * Owns what Pods of Runners need, in every namespace that has some: the authority of the
 * controller, the programs of Runners, and the NetworkPolicy that says who reaches them.
 *
 * I1. A program is there before Pods that mount it are made, and goes when none mounts it any more.
 * I2. What somebody deletes is made again, and what they change of the policy is put right.
 */
import { type Clock, errorMessage, hasCode, type Logger, type Random, sleep } from '@fnlet/base';
import { type Client, createCache, type ResourceClient } from '@fnlet/client';
import type { KubeObject, ResourceType } from '@fnlet/machinery';
import { createController, fromCache } from '@fnlet/reconcile';
import { programSweepMs } from './limits.ts';
import { clusterNames } from './names.ts';
import { programLabel, type RunnerProgram } from './runner-programs.ts';

const configMapType: ResourceType = {
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  namespaced: true,
};
const policyType: ResourceType = {
  ...{ group: 'networking.k8s.io', version: 'v1', namespaced: true },
  ...{ kind: 'NetworkPolicy', plural: 'networkpolicies' },
};
const podType: ResourceType = { ...configMapType, kind: 'Pod', plural: 'pods' };

interface MountingPod extends KubeObject {
  readonly spec?: { readonly volumes?: readonly { readonly configMap?: { name?: string } }[] };
}

export interface PodConfigMapsOptions {
  readonly client: Client;
  readonly programs: readonly RunnerProgram[];
  /** In PEM. */
  readonly caPem: string;
  /** Who reaches functions of a namespace. Default: whoever the cluster lets. */
  readonly policyOf?: ((namespace: string) => KubeObject) | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

export class PodConfigMaps {
  readonly #options: PodConfigMapsOptions;
  readonly #configMaps: ResourceClient<KubeObject>;
  readonly #namespaces = new Set<string>();
  /** Generation that a policy had when it was applied last, by namespace. */
  readonly #policies = new Map<string, number | undefined>();
  #caPem: string;

  constructor(options: PodConfigMapsOptions) {
    this.#options = options;
    this.#caPem = options.caPem;
    this.#configMaps = options.client.of<KubeObject>(configMapType);
  }

  /** Makes what Pods of this namespace mount. */
  async prepare(namespace: string, signal: AbortSignal): Promise<void> {
    for (const { configMap, name } of this.#options.programs) {
      const metadata = { ...configMap.metadata, namespace };
      const known = await this.#configMaps.tryGet({ namespace, name }, { signal });
      if (known === undefined) await this.#create({ ...configMap, metadata }, signal);
    }
    await this.#writeAuthority(namespace, signal);
    await this.#writePolicy(namespace, signal);
    this.#namespaces.add(namespace);
  }

  /** Makes what Gateways mount, in the namespace of the installation. */
  async trustHere(namespace: string, signal: AbortSignal): Promise<void> {
    await this.#writeAuthority(namespace, signal);
    this.#namespaces.add(namespace);
  }

  /** From now on this is to be trusted. */
  async trust(caPem: string, signal: AbortSignal): Promise<void> {
    this.#caPem = caPem;
    for (const namespace of this.#namespaces) await this.#writeAuthority(namespace, signal);
  }

  /** Makes again what somebody deletes, and removes programs that nobody mounts any more. */
  async run(signal: AbortSignal): Promise<void> {
    const { client, policyOf, clock, random, logger } = this.#options;
    const cache = createCache<KubeObject>({
      ...{ client, type: configMapType, clock, random, logger },
      labelSelector: 'app.kubernetes.io/managed-by=fnlet',
      metadataOnly: true,
    });
    const policies = createCache<KubeObject>({
      ...{ client, type: policyType, clock, random, logger },
      labelSelector: clusterNames.functionsPolicyLabel,
      metadataOnly: true,
    });
    const healing = createController({
      name: 'what Pods of functions mount',
      sources: [
        fromCache(cache, {
          predicate: ({ kind, object }) => kind === 'deleted' && this.#isOurs(object),
          map: ({ metadata: { namespace = '' } }) => [{ namespace, name: 'all' }],
        }),
        // Whoever makes none may not look at them.
        ...(policyOf === undefined
          ? []
          : [
              fromCache(policies, {
                predicate: ({ kind, object }) => this.#isForeign(object, kind === 'deleted'),
                map: ({ metadata: { namespace = '' } }) => [{ namespace, name: 'all' }],
              }),
            ]),
      ],
      reconcile: async ({ namespace }, context) => {
        await this.#heal(namespace, context.signal);
        return {};
      },
      ...{ clock, random, logger },
    });
    const watched = policyOf === undefined ? [cache] : [cache, policies];
    const loops = [...watched, healing].map((loop) => loop.run(signal));
    await Promise.all([...loops, this.#sweepNowAndThen(signal)]);
  }

  #isOurs({ metadata: { namespace = '', name } }: KubeObject): boolean {
    const names = this.#options.programs.map((program) => program.name);
    const isKnown = name === clusterNames.authorityConfigMap || names.includes(name);
    return isKnown && this.#namespaces.has(namespace);
  }

  async #heal(namespace: string, signal: AbortSignal): Promise<void> {
    try {
      await this.prepare(namespace, signal);
    } catch (error) {
      // It went with all that was in it.
      if (!hasCode(error, 'NotFound')) throw error;
      this.#namespaces.delete(namespace);
      this.#policies.delete(namespace);
    }
  }

  /** Whether a policy of ours is gone, or was written to by somebody else since it was applied. */
  #isForeign({ metadata: { namespace = '', name, generation } }: KubeObject, isGone: boolean) {
    if (name !== clusterNames.functionsPolicy || !this.#policies.has(namespace)) return false;
    return isGone || generation !== this.#policies.get(namespace);
  }

  async #writePolicy(namespace: string, signal: AbortSignal): Promise<void> {
    const { client, policyOf } = this.#options;
    const policy = policyOf?.(namespace);
    if (policy === undefined) return;
    const policies = client.of<KubeObject>(policyType);
    const { metadata } = await policies.apply(policy, { force: true, signal });
    this.#policies.set(namespace, metadata.generation);
  }

  async #sweepNowAndThen(signal: AbortSignal): Promise<void> {
    const { clock, logger } = this.#options;
    while (await sleep(clock, programSweepMs, signal)) {
      try {
        await this.#sweep(signal);
      } catch (error) {
        if (!signal.aborted) {
          logger.warn('Cannot remove programs of Runners', { error: errorMessage(error) });
        }
      }
    }
  }

  async #sweep(signal: AbortSignal): Promise<void> {
    const { client, programs } = this.#options;
    const own = new Set(programs.map(({ name }) => name));
    const all = await Array.fromAsync(
      this.#configMaps.listAll({ labelSelector: programLabel, signal }),
    );
    const old = all.filter(({ metadata: { name } }) => !own.has(name));
    if (old.length === 0) return;
    const labelSelector = 'app.kubernetes.io/managed-by=fnlet';
    const mounted = new Set<string>();
    for await (const pod of client.of<MountingPod>(podType).listAll({ labelSelector, signal })) {
      for (const { configMap } of pod.spec?.volumes ?? []) {
        mounted.add(`${pod.metadata.namespace}/${configMap?.name}`);
      }
    }
    for (const { metadata } of old) {
      if (mounted.has(`${metadata.namespace}/${metadata.name}`)) continue;
      const { namespace = '', name } = metadata;
      await this.#configMaps.delete({ namespace, name }, { signal });
    }
  }

  async #create(configMap: KubeObject, signal: AbortSignal): Promise<void> {
    try {
      await this.#configMaps.create(configMap, { signal });
    } catch (error) {
      if (!hasCode(error, 'AlreadyExists')) throw error;
    }
  }

  async #writeAuthority(namespace: string, signal: AbortSignal): Promise<void> {
    const labels = { 'app.kubernetes.io/managed-by': 'fnlet' };
    const authority = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { namespace, name: clusterNames.authorityConfigMap, labels },
      data: { 'ca.crt': this.#caPem },
    };
    await this.#configMaps.apply(authority, { force: true, signal });
  }
}
