import type { Clock, Logger, Random } from '@fnlet/base';
import { type Cache, type Client, createCache } from '@fnlet/client';
import type { Specialisation } from '@fnlet/invocation';
import {
  formatObjectKey,
  type KubeObject,
  type ObjectKey,
  objectKey,
  parseObjectKey,
} from '@fnlet/machinery';
import type {
  EnsureOptions,
  Executor,
  Instance,
  InstanceEvent,
  RunnableRevision,
} from '../executor.ts';
import { InstanceLoop, type UntilUncalled } from '../instance-loop.ts';
import { podType } from '../instance-pod.ts';
import { discardOutput } from '../output-keeper.ts';
import type { PoolBounds } from '../pool-size.ts';
import type { ArtifactArchives } from './artifact-archives.ts';
import { FollowedReplicas, readForeignReplicas } from './foreign-replicas.ts';
import { KeptObjects, type KeptPlan } from './kept-objects.ts';
import { clusterLimits } from './limits.ts';
import { instanceLabel, planClaim, planFarewell, planOwnClaim, poolLabel } from './plan-claim.ts';
import {
  executorLabel,
  executorOf,
  planDeployment,
  planRevisionService,
  revisionLabel,
} from './plan-deployment.ts';
import { planPool, poolName } from './plan-pool.ts';
import type { PoolTerms } from './plan-runner-pod.ts';
import type { PodIdentity } from './pod-identity.ts';
import { type PodPlace, PodSupply, type PoolSize } from './pod-supply.ts';
import { PodWriter } from './pod-writer.ts';
import { RunnerFront, type RunnerFrontOptions } from './runner-front.ts';

export interface PodExecutorOptions
  extends Pick<RunnerFrontOptions, 'certificate' | 'identify' | 'onBuild'> {
  readonly client: Client;
  readonly archives: ArtifactArchives;
  /** Runtimes that Pods are made for. */
  readonly runtimes: ReadonlySet<string>;
  /** How many warm Pods a runtime has in a namespace in which it is used. */
  readonly bounds: PoolBounds;
  readonly terms: PoolTerms;
  /** Makes what Pods of a pool mount; the pool is made, or changed, after that. */
  readonly prepareNamespace?: (namespace: string, signal: AbortSignal) => Promise<void>;
  /** See {@link ProcessExecutorOptions}. */
  readonly untilUncalled?: UntilUncalled;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** An Executor whose Instances are Pods of a cluster, taken from warm pools. */
export interface PodExecutor extends Executor {
  /** New connections of Runners get this certificate. */
  renew(certificate: RunnerFrontOptions['certificate']): void;
  /** Takes the connections of Runners; resolves with the port. To be called until it does. */
  listen(address: { readonly host: string; readonly port: number }): Promise<number>;
  /** Lets go of everything as it is: Pods that serve go on, and the next owner takes them over. */
  release(): Promise<void>;
  /** Resolves once it knows which Pods there are. */
  readonly synced: Promise<void>;
  /** Follows Pods and writes to the API until `signal` aborts. To be called once. */
  run(signal: AbortSignal): Promise<void>;
}

/** Runs Instances as Pods. */
export function createPodExecutor(options: PodExecutorOptions): PodExecutor {
  return new ClusterExecutor(options);
}

class ClusterExecutor implements PodExecutor {
  readonly synced: Promise<void>;
  readonly #options: PodExecutorOptions;
  /** As they were wanted last. */
  readonly #revisions = new Map<string, RunnableRevision>();
  /** What was asked for last of those that have Deployments of their own and are awake. */
  readonly #asked = new Map<string, Asked>();
  /** Pools as large as they are wanted, by the names of their Deployments. */
  readonly #poolSizes = new Map<string, PoolSize>();
  /** Why Deployments were refused last. */
  readonly #refusals = new Map<string, string>();
  readonly #pods: Cache<PlacedPod>;
  readonly #kept: KeptObjects;
  readonly #followed: FollowedReplicas;
  readonly #writer: PodWriter;
  readonly #supply: PodSupply;
  readonly #front: RunnerFront;
  readonly #loop: InstanceLoop;

  constructor(options: PodExecutorOptions) {
    const { client, archives, certificate, identify, onBuild, untilUncalled } = options;
    const { clock, random, logger } = options;
    this.#options = options;
    this.#pods = createPods(options);
    this.#followed = new FollowedReplicas(clock, (id) => this.#bring(id));
    this.#kept = new KeptObjects({
      ...options,
      planOf: (key) => this.#planOf(key),
      onDeployment: (deployment) => this.#onDeployment(deployment),
      onRefused: (key, why) => this.#onRefused(key, why),
    });
    this.synced = Promise.all([this.#pods.synced, this.#kept.synced]).then(() => {});
    this.#writer = new PodWriter({
      ...{ client, clock, random, logger },
      onClaimed: (uid) => this.#supply.onClaimed(uid),
      onGone: (uid) => this.#supply.onGone(uid),
      beforeEnd: (pod, signal) => this.#leaveDeployment(pod, signal),
    });
    this.#supply = this.#createSupply();
    this.#front = new RunnerFront({
      ...{ certificate, identify, onBuild, clock, logger },
      onRunner: (connection, hello) => this.#supply.onRunner(connection, hello),
      // Whatever is asked for by its digest was named to somebody: it is no secret among Pods.
      fileOf: async (digest) => archives.find(digest),
    });
    this.#loop = new InstanceLoop({
      ...(untilUncalled === undefined ? {} : { untilUncalled }),
      // What differs between Instances of a Pod is told by the Pod itself.
      node: { name: '', capacity: { cpu: '0', memory: '0' } },
      ...{ supply: this.#supply, output: discardOutput, clock, random, logger },
    });
    this.#pods.subscribe(({ kind, object: { metadata } }) => {
      const { uid = '' } = metadata;
      if (kind !== 'deleted') return this.#supply.onShown(uid);
      this.#writer.forget(uid);
      this.#supply.onGone(uid);
    });
  }

  ensure(revision: RunnableRevision, count: number, wish?: EnsureOptions): void {
    const { id } = revision;
    if (count > 0) this.#revisions.set(id, revision);
    if (!this.#isOwn(id)) {
      this.#loop.ensure(revision, count, wish);
      return;
    }
    this.#asked.set(id, { revision, count, wish });
    const found = this.#kept.deployments.get(parseObjectKey(id));
    if (count === 0) this.#followed.forget(id);
    else if (found !== undefined) this.#onDeployment(found);
    this.#bring(id);
    if (count === 0) this.#asked.delete(id);
  }

  /** What was asked for, or what somebody else says who scales its Deployment. */
  #bring(id: string): void {
    const asked = this.#asked.get(id);
    if (asked === undefined) return;
    const { revision, wish } = asked;
    const count = this.#countOf(id, asked);
    this.#supply.want(id, count);
    this.#loop.ensure(revision, count, wish);
  }

  #countOf(id: string, { count, wish }: Asked): number {
    // One that is proven is one, whatever its Deployment was told before.
    if (count === 0 || wish?.trial === true) return count;
    return this.#followed.of(id) ?? count;
  }

  #onDeployment(deployment: KubeObject): void {
    const id = formatObjectKey(objectKey(deployment));
    const asked = this.#asked.get(id);
    if (asked === undefined || asked.count === 0) return;
    this.#followed.show(id, readForeignReplicas(deployment), this.#countOf(id, asked));
  }

  instances(revisionId?: string): readonly Instance[] {
    return this.#loop.instances(revisionId);
  }

  inherited(revisionId: string): number {
    return this.#pods.byIndex(byInstance, revisionId).length;
  }

  evict(instanceId: string, graceMs: number): void {
    this.#loop.evict(instanceId, graceMs);
  }

  subscribe(listener: (event: InstanceEvent) => void): () => void {
    return this.#loop.subscribe(listener);
  }

  renew(certificate: RunnerFrontOptions['certificate']): void {
    this.#front.renew(certificate);
  }

  listen(address: { readonly host: string; readonly port: number }): Promise<number> {
    return this.#front.listen(address);
  }

  async run(signal: AbortSignal): Promise<void> {
    await Promise.all([this.#pods.run(signal), this.#writer.run(signal), this.#kept.run(signal)]);
  }

  async release(): Promise<void> {
    this.#followed.close();
    await this.#supply.close();
    await this.#front[Symbol.asyncDispose]();
  }

  async close(graceMs?: number): Promise<void> {
    await this.#loop.close(graceMs);
    await this.release();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #createSupply(): PodSupply {
    const { archives, runtimes, bounds, clock } = this.#options;
    return new PodSupply({
      care: {
        artifactOf: (directory) => archives.of(directory),
        hostOf: ({ uid }) => this.#podOf(uid)?.status?.podIP || undefined,
        claim: (pod, specialisation) => this.#claim(pod, specialisation),
        end: (pod, graceMs) => this.#writer.end(pod, graceMs),
      },
      ...{ runtimes, bounds, clock },
      isOwn: (id) => this.#isOwn(id),
      onPoolSize: (size) => {
        const key = { namespace: size.namespace, name: poolName(size.runtime) };
        const before = this.#poolSizes.get(formatObjectKey(key));
        this.#poolSizes.set(formatObjectKey(key), size);
        const isUrgent = before === undefined || size.isPressing;
        this.#kept.enqueue(key, isUrgent ? undefined : clusterLimits.poolSettleMs);
      },
      onOwnSize: (id) => this.#kept.enqueue(parseObjectKey(id)),
      podsOf: (id) =>
        this.#pods.byIndex(byInstance, id).flatMap(({ metadata }) => metadata.uid ?? []),
      placeOf: ({ uid }) => {
        const pod = this.#podOf(uid);
        return pod && placeOf(pod);
      },
    });
  }

  #podOf(uid: string): PlacedPod | undefined {
    return this.#pods.byIndex(byUid, uid)[0];
  }

  /** Whether a Revision has a Deployment of its own. */
  #isOwn(id: string): boolean {
    const revision = this.#revisions.get(id);
    return revision !== undefined && executorOf(revision).kind === 'deployment';
  }

  #planOf(key: ObjectKey): KeptPlan | undefined {
    const { terms } = this.#options;
    const id = formatObjectKey(key);
    const pool = this.#poolSizes.get(id);
    if (pool !== undefined) return { deployment: planPool(pool, terms) };
    const revision = this.#revisions.get(id);
    const size = this.#supply.ownSize(id);
    if (revision === undefined || size === undefined) return undefined;
    const asked = this.#asked.get(id);
    const isAwake = asked !== undefined && asked.count > 0 && asked.wish?.trial !== true;
    const foreign = isAwake ? readForeignReplicas(this.#kept.deployments.get(key)) : undefined;
    return {
      deployment: planDeployment(revision, foreign ?? size, terms),
      service: planRevisionService(revision),
    };
  }

  /** Says once why the API does not take what is wanted: it is tried again. */
  #onRefused(key: ObjectKey, why: string | undefined): void {
    const deployment = formatObjectKey(key);
    if (this.#refusals.get(deployment) === why) return;
    if (why === undefined) this.#refusals.delete(deployment);
    else {
      this.#refusals.set(deployment, why);
      this.#options.logger.warn('Cannot apply a Deployment of functions', { deployment, why });
    }
  }

  #claim(pod: PodIdentity, { namespace, revision, instance }: Specialisation): void {
    const id = `${namespace}/${revision}`;
    const known = this.#revisions.get(id);
    if (known === undefined) return;
    const patch = this.#isOwn(id) ? planOwnClaim(instance) : planClaim(known, instance);
    this.#writer.claim(pod, patch);
  }

  /** A Pod that goes is followed by another only where that is wanted. */
  async #leaveDeployment(pod: PodIdentity, signal: AbortSignal): Promise<void> {
    const found = this.#podOf(pod.uid);
    const place = found && placeOf(found);
    if (place?.kind !== 'own') return;
    const key = parseObjectKey(place.revision);
    if (this.#planOf(key) === undefined) return;
    const patch = planFarewell(pod.uid);
    await this.#options.client.of(podType).patch(pod, { type: 'merge', patch }, { signal });
    await this.#kept.bring(key, signal);
  }
}

interface Asked {
  readonly revision: RunnableRevision;
  readonly count: number;
  readonly wish: EnsureOptions | undefined;
}

/** The Pods that are Fnlet's. */
function createPods({ client, clock, random, logger }: PodExecutorOptions): Cache<PlacedPod> {
  return createCache<PlacedPod>({
    ...{ client, type: podType, clock, random, logger },
    labelSelector: 'app.kubernetes.io/managed-by=fnlet',
    keep: ['status.podIP'],
    indexes: { [byInstance]: instanceOf, [byUid]: ({ metadata: { uid = '' } }) => [uid] },
  });
}

const byInstance = 'instance';
const byUid = 'uid';

interface PlacedPod extends KubeObject {
  readonly status?: { readonly podIP?: string };
}

/** The Revision of which a Pod is an Instance. */
function instanceOf({ metadata }: KubeObject): readonly string[] {
  const { namespace, labels, deletionTimestamp } = metadata;
  const name = labels?.[revisionLabel];
  if (name === undefined || labels?.[instanceLabel] === undefined) return [];
  return deletionTimestamp === undefined ? [`${namespace}/${name}`] : [];
}

function placeOf({ metadata: { namespace, labels = {} } }: KubeObject): PodPlace {
  const { [poolLabel]: runtime, [revisionLabel]: revision } = labels;
  if (revision === undefined) {
    return runtime === undefined ? { kind: 'other' } : { kind: 'pool', runtime };
  }
  if (labels[executorLabel] !== 'deployment') return { kind: 'other' };
  return { kind: 'own', revision: `${namespace}/${revision}` };
}
