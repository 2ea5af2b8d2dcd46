/**
 * Keeps objects of a cluster as they are wanted: Deployments of pools and of Revisions, and the
 * Services of these.
 *
 * I1. What is wanted is applied, whole, when it changes, when it is gone, and when somebody else
 *     has changed it. What others have added to it stays theirs (server-side apply).
 * I2. A wish that is withdrawn deletes nothing: an object goes with its owner.
 * I3. A Deployment that nobody has a wish for after a while has no more Pods than serve.
 * I4. What somebody else has changed is put right as it was seen, and nothing newer is overwritten.
 */
import {
  type Clock,
  canonicalJson,
  hasCode,
  isJsonObject,
  type Logger,
  type Random,
  sha256,
} from '@fnlet/base';
import { type Cache, type Client, createCache } from '@fnlet/client';
import { formatObjectKey, type KubeObject, type ObjectKey, objectKey } from '@fnlet/machinery';
import { type Controller, createController } from '@fnlet/reconcile';
import type { TroubledDeployment } from './deployment-obstacles.ts';
import { deploymentType, serviceType } from './deployment-type.ts';
import { replicasAnnotation } from './foreign-replicas.ts';
import { clusterLimits } from './limits.ts';
import { executorLabel } from './plan-deployment.ts';

export interface KeptObjectsOptions {
  readonly client: Client;
  /** What is wanted by this name now; `undefined`: nothing is known of it. */
  readonly planOf: (key: ObjectKey) => KeptPlan | undefined;
  /**
   * So many Pods serve of a Deployment that nobody has a wish for; `undefined`: it is none that a
   * Revision owns, or there is a wish.
   */
  readonly strayOf: (deployment: KubeObject) => number | undefined;
  /** Makes what Pods of this namespace mount, before any of them, where it is not there. */
  readonly prepareNamespace?: (namespace: string, signal: AbortSignal) => Promise<void>;
  /** The API shows another state of a Deployment. */
  readonly onDeployment: (deployment: KubeObject) => void;
  /** The API has not taken what is wanted; `undefined`: it has. It is tried again. */
  readonly onRefused: (key: ObjectKey, error: unknown) => void;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** Objects of one name. */
export interface KeptPlan {
  readonly deployment: KubeObject;
  readonly service?: KubeObject;
}

const kinds = { deployment: deploymentType, service: serviceType };

type KeptKind = keyof typeof kinds;

const kindNames: readonly KeptKind[] = ['deployment', 'service'];

/** Which are kept here. Each Function has a Service of its own besides, and there are thousands. */
const selectors: Readonly<Record<KeptKind, string>> = {
  deployment: 'app.kubernetes.io/managed-by=fnlet',
  service: `app.kubernetes.io/managed-by=fnlet,${executorLabel}=deployment`,
};

/** What tells that somebody has changed one: a Service has no generation. */
const kept: Readonly<Record<KeptKind, readonly string[]>> = {
  deployment: [
    ...['spec.replicas', 'status.conditions'],
    `metadata.annotations['${replicasAnnotation}']`,
  ],
  service: ['spec.selector', 'spec.ports'],
};

export class KeptObjects {
  readonly #options: KeptObjectsOptions;
  readonly #caches: Readonly<Record<KeptKind, Cache<KubeObject>>>;
  readonly #controller: Controller;
  /** Generation that an object had when it was applied last, by kind and name. */
  readonly #applied = new Map<string, number | undefined>();
  /** Digests of the Deployments that were applied last: a wish that came back writes nothing. */
  readonly #plans = new Map<string, string>();

  constructor(options: KeptObjectsOptions) {
    const { client, clock, random, logger } = options;
    this.#options = options;
    const follow = (kind: KeptKind): Cache<KubeObject> =>
      createCache<KubeObject>({
        ...{ client, type: kinds[kind], clock, random, logger },
        labelSelector: selectors[kind],
        keep: kept[kind],
      });
    this.#caches = { deployment: follow('deployment'), service: follow('service') };
    this.#controller = createController({
      name: 'Deployments of functions',
      sources: [],
      reconcile: async (key, { signal }) => {
        await this.bring(key, signal);
        return {};
      },
      concurrency: clusterLimits.deploymentWrites,
      backoff: { baseMs: clusterLimits.podWriteBaseMs, capMs: clusterLimits.podWriteCapMs },
      ...{ clock, random, logger },
    });
    for (const kind of kindNames) {
      this.#caches[kind].subscribe(({ kind: change, object }) => {
        if (kind === 'deployment' && change !== 'deleted') options.onDeployment(object);
        if (change === 'deleted' || this.#isDrifted(kind, object)) this.enqueue(objectKey(object));
        // I3: whoever wants it has said so by then, and those that serve it are known.
        if (kind === 'deployment' && change !== 'deleted' && this.#isStray(object)) {
          this.#controller.enqueue(objectKey(object), { afterMs: clusterLimits.orphanMs });
        }
      });
    }
  }

  /** Resolves once it knows what there is. */
  get synced(): Promise<void> {
    const { deployment, service } = this.#caches;
    return Promise.all([deployment.synced, service.synced]).then(() => {});
  }

  /** What the API shows of Deployments. */
  get deployments(): Cache<TroubledDeployment> {
    return this.#caches.deployment;
  }

  /** What is wanted by this name has changed; it is looked at after a while at the latest. */
  enqueue(key: ObjectKey, afterMs?: number): void {
    if (this.#options.planOf(key) !== undefined) this.#controller.enqueue(key, { afterMs });
  }

  /** Applies what is wanted by this name. */
  async bring(key: ObjectKey, signal: AbortSignal): Promise<void> {
    const { prepareNamespace, planOf, onRefused } = this.#options;
    const first = planOf(key);
    if (first === undefined) return await this.#shrink(key, signal);
    try {
      await prepareNamespace?.(key.namespace, signal);
      // Planned again: the wish may be another one by now.
      const { deployment, service } = planOf(key) ?? first;
      const known = this.#caches.deployment.get(key);
      const isSame = this.#plans.get(formatObjectKey(key)) === digestOf(deployment);
      if (!isSame || known === undefined) {
        await this.#apply('deployment', deployment, signal);
        this.#plans.set(formatObjectKey(key), digestOf(deployment));
      } else if (this.#isDrifted('deployment', known)) {
        await this.#restore(deployment, known, signal);
      }
      if (service !== undefined && this.#isDrifted('service', this.#caches.service.get(key))) {
        await this.#applyService(service, signal);
      }
      onRefused(key, undefined);
    } catch (error) {
      if (!signal.aborted) onRefused(key, error);
      throw error;
    }
  }

  async run(signal: AbortSignal): Promise<void> {
    const { deployment, service } = this.#caches;
    await Promise.all([deployment.run(signal), service.run(signal), this.#controller.run(signal)]);
  }

  #isStray(deployment: KubeObject): boolean {
    const size = this.#options.strayOf(deployment);
    return size !== undefined && replicasOf(deployment) > size;
  }

  /** I3 */
  async #shrink(key: ObjectKey, signal: AbortSignal): Promise<void> {
    const { client, strayOf } = this.#options;
    const found = this.#caches.deployment.get(key);
    if (found === undefined || !this.#isStray(found)) return;
    const { uid } = found.metadata;
    const replicas = strayOf(found) ?? 0;
    // The number is Fnlet's own.
    const annotations = { [replicasAnnotation]: String(replicas) };
    const patch = { metadata: { uid, annotations }, spec: { replicas } };
    const small = await client.of(deploymentType).patch(key, { type: 'merge', patch }, { signal });
    this.#caches.deployment.observe(small);
  }

  /** A port of another number that has the name of one of these keeps it from being applied. */
  async #applyService(service: KubeObject, signal: AbortSignal): Promise<void> {
    try {
      await this.#apply('service', service, signal);
    } catch (error) {
      const spec = specOf(service);
      if (!hasCode(error, 'Invalid') || !isJsonObject(spec)) throw error;
      const patch = { spec: { ports: spec.ports ?? [] } };
      const services = this.#options.client.of(serviceType);
      await services.patch(objectKey(service), { type: 'merge', patch }, { signal });
      await this.#apply('service', service, signal);
    }
  }

  /**
   * I4. What is newer than what was seen is looked at first, once it is shown. Others have a word
   * in the number of Pods, and this one, which is no news, would go over theirs.
   */
  async #restore(deployment: KubeObject, known: KubeObject, signal: AbortSignal): Promise<void> {
    const { resourceVersion = '' } = known.metadata;
    const metadata = { ...deployment.metadata, resourceVersion };
    try {
      await this.#apply('deployment', { ...deployment, metadata }, signal);
    } catch (error) {
      if (!hasCode(error, 'Conflict')) throw error;
    }
  }

  async #apply(kind: KeptKind, object: KubeObject, signal: AbortSignal): Promise<void> {
    const { client } = this.#options;
    const found = await client.of(kinds[kind]).apply(object, { force: true, signal });
    this.#applied.set(nameOf(kind, object), found.metadata.generation);
    this.#caches[kind].observe(found);
  }

  /** Whether somebody else has written to it since it was applied, or it never was. */
  #isDrifted(kind: KeptKind, object: KubeObject | undefined): boolean {
    if (object === undefined) return true;
    const plan = this.#options.planOf(objectKey(object))?.[kind];
    if (plan === undefined) return false;
    const name = nameOf(kind, object);
    if (!this.#applied.has(name) || this.#applied.get(name) !== object.metadata.generation)
      return true;
    const { labels = {}, ownerReferences: owners = [] } = plan.metadata;
    const found = object.metadata;
    if (!covers(found.labels, labels) || !covers(found.ownerReferences, owners)) return true;
    return kind === 'service' && !covers(specOf(object), specOf(plan));
  }
}

function digestOf(object: KubeObject): string {
  return sha256(canonicalJson(object));
}

/** Whether all that is wanted is there; what is there besides is of others. */
function covers(found: unknown, wanted: unknown): boolean {
  if (Array.isArray(wanted)) {
    if (!Array.isArray(found)) return wanted.length === 0;
    return wanted.every((item) => found.some((other) => covers(other, item)));
  }
  if (!isJsonObject(wanted)) return found === wanted;
  const known = isJsonObject(found) ? found : {};
  return Object.entries(wanted).every(([name, value]) => covers(known[name], value));
}

function replicasOf(deployment: KubeObject): number {
  const spec = specOf(deployment);
  return isJsonObject(spec) && typeof spec.replicas === 'number' ? spec.replicas : 0;
}

function specOf(object: KubeObject): unknown {
  return 'spec' in object ? object.spec : undefined;
}

function nameOf(kind: KeptKind, object: KubeObject): string {
  return `${kind} ${formatObjectKey(objectKey(object))}`;
}
