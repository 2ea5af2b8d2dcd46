/**
 * Owns what Pods of Runners need, in every namespace that has some: the authority of the
 * controller, the programs of Runners, and the NetworkPolicy that says who reaches them.
 *
 * I1. A program is there before Pods that mount it are made, and goes when none mounts it any more.
 * I2. What somebody deletes is made again, and what they change of it is put right.
 * I3. What is known of a namespace goes with it: another one of its name begins anew.
 */
import { type Clock, errorMessage, hasCode, type Logger, type Random, sleep } from '@fnlet/base';
import { type Cache, type Client, createCache, type ResourceClient } from '@fnlet/client';
import type { KubeObject, ObjectKey, ResourceType } from '@fnlet/machinery';
import { type Controller, createController, fromCache } from '@fnlet/reconcile';
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

/** What is to be there in a namespace: all that Pods mount, or what Gateways do. */
type Extent = 'all' | 'authority';

export class PodConfigMaps {
  readonly #options: PodConfigMapsOptions;
  readonly #configMaps: ResourceClient<KubeObject>;
  readonly #namespaces = new Map<string, Extent>();
  /** Those of them in which all of it is there, as far as is known. */
  readonly #whole = new Set<string>();
  /** Generation that a policy had when it was applied last, by namespace. */
  readonly #policies = new Map<string, number | undefined>();
  /** resourceVersion that the authority had then: a ConfigMap has no generation. */
  readonly #authorities = new Map<string, string | undefined>();
  readonly #caches: readonly Cache<KubeObject>[];
  readonly #healing: Controller;
  #caPem: string;

  constructor(options: PodConfigMapsOptions) {
    const { client, policyOf, clock, random, logger } = options;
    this.#options = options;
    this.#caPem = options.caPem;
    this.#configMaps = client.of<KubeObject>(configMapType);
    const follow = (type: ResourceType, labelSelector: string): Cache<KubeObject> =>
      createCache({ client, type, labelSelector, metadataOnly: true, clock, random, logger });
    const configMaps = follow(configMapType, 'app.kubernetes.io/managed-by=fnlet');
    // Whoever makes none may not look at them.
    const policies = policyOf && follow(policyType, clusterNames.functionsPolicyLabel);
    this.#caches = [configMaps, ...(policies === undefined ? [] : [policies])];
    const map = ({ metadata: { namespace = '' } }: KubeObject) => [wholeOf(namespace)];
    this.#healing = createController({
      name: 'what Pods of functions mount',
      sources: [
        fromCache(configMaps, {
          predicate: ({ kind, object }) => this.#isHurt(object, kind === 'deleted'),
          map,
        }),
        ...(policies === undefined
          ? []
          : [
              fromCache(policies, {
                predicate: ({ kind, object }) => this.#isForeign(object, kind === 'deleted'),
                map,
              }),
            ]),
      ],
      reconcile: async ({ namespace }, context) => {
        await this.#heal(namespace, context.signal);
        return {};
      },
      ...{ clock, random, logger },
    });
  }

  /** Makes what Pods of this namespace mount, where it is not there yet. */
  async prepare(namespace: string, signal: AbortSignal): Promise<void> {
    if (this.#whole.has(namespace)) return;
    for (const { configMap, name } of this.#options.programs) {
      const metadata = { ...configMap.metadata, namespace };
      const known = await this.#configMaps.tryGet({ namespace, name }, { signal });
      if (known === undefined) await this.#create({ ...configMap, metadata }, signal);
    }
    await this.#writeAuthority(namespace, signal);
    await this.#writePolicy(namespace, signal);
    this.#namespaces.set(namespace, 'all');
    this.#whole.add(namespace);
  }

  /** Makes what Gateways mount, in the namespace of the installation. */
  async trustHere(namespace: string, signal: AbortSignal): Promise<void> {
    await this.#writeAuthority(namespace, signal);
    this.#namespaces.set(namespace, 'authority');
  }

  /** From now on this is to be trusted; it is told everywhere. */
  trust(caPem: string): void {
    this.#caPem = caPem;
    for (const namespace of this.#namespaces.keys()) this.#healing.enqueue(wholeOf(namespace));
  }

  /** Makes again what somebody deletes, and removes programs that nobody mounts any more. */
  async run(signal: AbortSignal): Promise<void> {
    const loops = [...this.#caches, this.#healing].map((loop) => loop.run(signal));
    await Promise.all([...loops, this.#sweepNowAndThen(signal)]);
  }

  /** Whether a ConfigMap of ours is gone, or an authority was written to by somebody else. */
  #isHurt({ metadata }: KubeObject, isGone: boolean): boolean {
    const { namespace = '', name, resourceVersion } = metadata;
    if (!this.#namespaces.has(namespace)) return false;
    if (name === clusterNames.authorityConfigMap) {
      return isGone || resourceVersion !== this.#authorities.get(namespace);
    }
    // A program is immutable.
    return isGone && this.#options.programs.some((program) => program.name === name);
  }

  async #heal(namespace: string, signal: AbortSignal): Promise<void> {
    this.#whole.delete(namespace);
    try {
      if (this.#namespaces.get(namespace) === 'all') await this.prepare(namespace, signal);
      else await this.#writeAuthority(namespace, signal);
    } catch (error) {
      // I3: it went with all that was in it.
      if (!hasCode(error, 'NotFound')) throw error;
      this.#namespaces.delete(namespace);
      this.#policies.delete(namespace);
      this.#authorities.delete(namespace);
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
    const { metadata } = await this.#configMaps.apply(authority, { force: true, signal });
    this.#authorities.set(namespace, metadata.resourceVersion);
  }
}

function wholeOf(namespace: string): ObjectKey {
  return { namespace, name: 'all' };
}
