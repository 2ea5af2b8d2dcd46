import { type Clock, errorMessage, hasCode, type Logger, type Random } from '@fnlet/base';
import type { Cache, Client } from '@fnlet/client';
import type { Specialisation } from '@fnlet/invocation';
import {
  formatObjectKey,
  type KubeObject,
  type ObjectKey,
  objectKey,
  parseObjectKey,
  type StatusReason,
} from '@fnlet/machinery';
import type {
  EnsureOptions,
  Executor,
  Instance,
  InstanceEvent,
  Obstacle,
  RunnableRevision,
} from '../executor.ts';
import { InstanceLoop, type UntilUncalled } from '../instance-loop.ts';
import { podType } from '../instance-pod.ts';
import { discardOutput } from '../output-keeper.ts';
import type { PoolBounds } from '../pool-size.ts';
import type { ArtifactArchives } from './artifact-archives.ts';
import { DeploymentObstacles } from './deployment-obstacles.ts';
import { FollowedReplicas, readForeignReplicas } from './foreign-replicas.ts';
import { KeptObjects, type KeptPlan } from './kept-objects.ts';
import { clusterLimits } from './limits.ts';
import { OwnPools } from './own-pools.ts';
import {
  byAddress,
  byDeployment,
  byInstance,
  byUid,
  createPlacedPods,
  deploymentsOf,
  type PlacedPod,
  placeOf,
} from './placed-pods.ts';
import { instanceLabel, planClaim, planFarewell, planOwnClaim } from './plan-claim.ts';
import {
  executorLabel,
  executorOf,
  planDeployment,
  planRevisionService,
} from './plan-deployment.ts';
import {
  isOwnPool,
  ownPoolOf,
  type PoolSize,
  planOwnPool,
  planPool,
  poolName,
} from './plan-pool.ts';
import type { PoolTerms } from './plan-runner-pod.ts';
import type { PodIdentity } from './pod-identity.ts';
import { PodSupply } from './pod-supply.ts';
import { findExit, isOver, isReady } from './pod-trouble.ts';
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
  /** The Node of the Pod that is called at this address; `undefined`: the API shows none. */
  nodeAt(host: string): string | undefined;
  /** Resolves once it knows which Pods there are. */
  readonly synced: Promise<void>;
  /** Follows Pods and writes to the API until `signal` aborts. To be called once. */
  run(signal: AbortSignal): Promise<void>;
}

/** Runs Instances as Pods. */
export function createPodExecutor(options: PodExecutorOptions): PodExecutor {
  return new ClusterExecutor(options);
}

/** What is wanted of a Revision. */
interface Wish {
  readonly revision: RunnableRevision;
  readonly count: number;
  /** Whether it has a Deployment of its own. */
  readonly isOwn: boolean;
  /** The pool that only Revisions like it take Pods of, if it has one. */
  readonly pool: string | undefined;
  /** So many more Instances were asked for than are wanted. */
  readonly surge: number;
  readonly options: EnsureOptions | undefined;
}

/** What tells the Pods of one template of a Deployment from those of another. */
const templateLabel = 'pod-template-hash';

class ClusterExecutor implements PodExecutor {
  readonly synced: Promise<void>;
  readonly #options: PodExecutorOptions;
  /** What was wanted last of each Revision, by its id. */
  readonly #wishes = new Map<string, Wish>();
  /** Pools as large as they are wanted, by the names of their Deployments. */
  readonly #poolSizes = new Map<string, PoolSize>();
  /** Why Deployments were refused last. */
  readonly #refusals = new Map<string, string>();
  readonly #pods: Cache<PlacedPod>;
  readonly #kept: KeptObjects;
  readonly #followed: FollowedReplicas;
  readonly #obstacles: DeploymentObstacles;
  readonly #writer: PodWriter;
  readonly #supply: PodSupply;
  readonly #ownPools: OwnPools;
  readonly #front: RunnerFront;
  readonly #loop: InstanceLoop;

  constructor(options: PodExecutorOptions) {
    const { client, archives, certificate, identify, onBuild, untilUncalled } = options;
    const { clock, random, logger } = options;
    this.#options = options;
    this.#pods = createPlacedPods(options);
    this.#followed = new FollowedReplicas(clock, (id) => this.#bring(id));
    this.#kept = new KeptObjects({
      ...options,
      planOf: (key) => this.#planOf(key),
      onDeployment: (deployment) => this.#onDeployment(deployment),
      strayOf: (deployment) => this.#strayOf(deployment),
      onRefused: (key, error) => this.#onRefused(key, error),
    });
    this.synced = Promise.all([this.#pods.synced, this.#kept.synced]).then(() => {});
    this.#obstacles = this.#createObstacles();
    this.#writer = new PodWriter({
      ...{ client, clock, random, logger },
      onClaimed: (uid) => this.#supply.onClaimed(uid),
      onGone: (uid) => this.#supply.onGone(uid),
      beforeEnd: (pod, signal) => this.#leaveDeployment(pod, signal),
    });
    this.#supply = this.#createSupply();
    this.#ownPools = new OwnPools({
      supply: this.#supply,
      wishes: () => this.#wishes.values(),
      onOwner: (key) => this.#kept.enqueue(key),
    });
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
    // What runs nowhere is remembered only where it has objects that are to be kept.
    this.#loop.subscribe(({ kind, instance: { revision } }) => {
      if (kind === 'stopped' && !this.#isOwn(revision.id)) this.#forgetUnused(revision.id);
    });
    this.#pods.subscribe(({ kind, object }) => {
      const { uid = '' } = object.metadata;
      for (const id of deploymentsOf(object)) this.#obstacles.look(parseObjectKey(id));
      if (kind === 'deleted') {
        this.#writer.forget(uid);
        this.#supply.onGone(uid);
      } else this.#onShown(object);
      this.#spread(object);
    });
  }

  #onShown(pod: PlacedPod): void {
    const { uid = '', deletionTimestamp } = pod.metadata;
    if (deletionTimestamp === undefined) {
      this.#supply.onShown(uid);
      this.#removeEnded(pod);
      return;
    }
    const revision = this.#supply.onLeaving(uid);
    if (revision !== undefined) this.#bring(revision);
  }

  /** A Pod of a pool that was given code has nobody else who would remove it. */
  #removeEnded(pod: PlacedPod): void {
    const { uid = '', namespace = '', name, labels } = pod.metadata;
    if (labels?.[instanceLabel] === undefined || placeOf(pod).kind !== 'other') return;
    if (isOver(pod)) this.#writer.end({ uid, namespace, name }, 0);
  }

  /** A Deployment that replaces its Pods makes one more, which is to serve before another goes. */
  #spread(pod: KubeObject): void {
    const place = placeOf(pod);
    const wish = place.kind === 'own' ? this.#wishes.get(place.revision) : undefined;
    if (wish !== undefined && wish.surge !== this.#surgeOf(wish)) this.#bring(wish.revision.id);
  }

  ensure(revision: RunnableRevision, count: number, options?: EnsureOptions): void {
    const { id } = revision;
    const isNew = !this.#wishes.has(id);
    if (isNew && count === 0) return;
    const { kind } = executorOf(revision);
    const isOwn = kind === 'deployment';
    const pool = kind === 'ownPool' ? ownPoolOf(revision, this.#options.terms) : undefined;
    this.#wishes.set(id, { revision, count, isOwn, pool, surge: 0, options });
    this.#ownPools.onWish({ revision, count, pool });
    const found = isOwn ? this.#kept.deployments.get(parseObjectKey(id)) : undefined;
    if (count === 0) this.#followed.forget(id);
    else if (found !== undefined) this.#onDeployment(found);
    this.#bring(id);
    // What an earlier owner has made of it may be something else.
    if (isNew && isOwn) this.#kept.enqueue(parseObjectKey(id));
  }

  /** What was asked for, or what somebody else says who scales its Deployment. */
  #bring(id: string): void {
    const wish = this.#wishes.get(id);
    if (wish === undefined) return;
    const { revision, isOwn, options } = wish;
    const count = this.#countOf(wish);
    const surge = this.#surgeOf(wish);
    this.#wishes.set(id, { ...wish, surge });
    if (isOwn) this.#supply.want(id, count, surge);
    this.#loop.ensure(revision, count + surge, options);
  }

  #countOf({ revision, count, isOwn, options }: Wish): number {
    // One that is proven is one, whatever its Deployment was told before.
    if (!isOwn || count === 0 || options?.trial === true) return count;
    return this.#followed.of(revision.id) ?? count;
  }

  #onDeployment(deployment: KubeObject): void {
    const id = formatObjectKey(objectKey(deployment));
    const wish = this.#wishes.get(id);
    if (wish === undefined || !wish.isOwn || wish.count === 0) return;
    this.#followed.show(id, readForeignReplicas(deployment), this.#countOf(wish));
  }

  /**
   * How many more Instances there are than wanted: one while Pods of an older template are left.
   * They are replaced one after the other, each once the one that follows it is ready.
   */
  #surgeOf({ revision, count, isOwn }: Wish): number {
    if (!isOwn || count === 0) return 0;
    const templates = new Set<string>();
    for (const { metadata, status } of this.#pods.byIndex(byDeployment, revision.id)) {
      const template = metadata.labels?.[templateLabel];
      // Those that a node has ended stay to be looked at.
      const isOver = status?.phase === 'Failed' || metadata.deletionTimestamp !== undefined;
      if (!isOver && template !== undefined) templates.add(template);
    }
    return templates.size > 1 ? 1 : 0;
  }

  instances(revisionId?: string): readonly Instance[] {
    return this.#loop.instances(revisionId);
  }

  inherited(revisionId: string): number {
    return this.#pods.byIndex(byInstance, revisionId).filter((pod) => !isOver(pod)).length;
  }

  nodeAt(host: string): string | undefined {
    const isThere = ({ metadata, status }: PlacedPod): boolean =>
      metadata.deletionTimestamp === undefined && status?.phase !== 'Failed';
    // What has ended may have had the address of one that runs.
    const pods = this.#pods.byIndex(byAddress, host);
    return (pods.find(isThere) ?? pods[0])?.spec?.nodeName;
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
    const loops = [this.#pods, this.#writer, this.#kept, this.#obstacles];
    await Promise.all(loops.map((loop) => loop.run(signal)));
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
      ownPoolOf: (id) => this.#wishes.get(id)?.pool,
      onPoolSize: (size) => {
        const key = { namespace: size.namespace, name: poolName(size.pool) };
        const before = this.#poolSizes.get(formatObjectKey(key));
        this.#poolSizes.set(formatObjectKey(key), size);
        const isUrgent = before === undefined || size.isPressing;
        this.#kept.enqueue(key, isUrgent ? undefined : clusterLimits.poolSettleMs);
      },
      onOwnSize: (id) => this.#kept.enqueue(parseObjectKey(id)),
      podsOf: (id) =>
        this.#pods
          .byIndex(byInstance, id)
          // What has ended does not come back.
          .filter((pod) => findExit(pod) === undefined)
          .map((pod) => ({ uid: pod.metadata.uid ?? '', isReady: isReady(pod) })),
      exitOf: ({ uid }) => {
        const pod = this.#podOf(uid);
        return pod && findExit(pod);
      },
      placeOf: ({ uid }) => {
        const pod = this.#podOf(uid);
        const isLeaving = pod?.metadata.deletionTimestamp !== undefined;
        return isLeaving ? { kind: 'leaving' } : pod && placeOf(pod);
      },
    });
  }

  #createObstacles(): DeploymentObstacles {
    const { client, clock, random, logger } = this.#options;
    const obstacles = new DeploymentObstacles({
      deploymentOf: (key) => this.#kept.deployments.get(key),
      podsOf: (key) => this.#pods.byIndex(byDeployment, formatObjectKey(key)),
      isConnected: (uid) => this.#supply.isConnected(uid),
      isOwn: (key) => isOwnPool(key.name) || !this.#poolSizes.has(formatObjectKey(key)),
      onObstacle: (key, obstacle) => this.#onObstacle(key, obstacle),
      ...{ client, clock, random, logger },
    });
    this.#kept.deployments.subscribe(({ kind, object }) => {
      obstacles.look(objectKey(object));
      if (kind === 'deleted') this.#forgetOwn(formatObjectKey(objectKey(object)));
    });
    return obstacles;
  }

  #forgetUnused(id: string): void {
    const wish = this.#wishes.get(id);
    if (wish?.count === 0 && this.#loop.instances(id).length === 0) this.#wishes.delete(id);
  }

  /** What is gone, and not wanted any more, is not remembered. */
  #forgetOwn(id: string): void {
    this.#ownPools.onDeleted(parseObjectKey(id));
    const wish = this.#wishes.get(id);
    if (wish === undefined || wish.count > 0 || this.#supply.ownSize(id) !== 0) return;
    this.#wishes.delete(id);
    this.#followed.forget(id);
    this.#supply.forgetOwn(id);
  }

  #onObstacle(key: ObjectKey, obstacle: Obstacle | undefined): void {
    const id = formatObjectKey(key);
    const pool = this.#poolSizes.get(id);
    if (pool !== undefined) this.#supply.obstructPool(pool, obstacle);
    else this.#supply.obstructOwn(id, obstacle);
  }

  #podOf(uid: string): PlacedPod | undefined {
    return this.#pods.byIndex(byUid, uid)[0];
  }

  /** Whether a Revision has a Deployment of its own. */
  #isOwn(id: string): boolean {
    return this.#wishes.get(id)?.isOwn === true;
  }

  /** So many Pods serve of a Revision's Deployment that nobody has asked for. */
  #strayOf(deployment: KubeObject): number | undefined {
    const id = formatObjectKey(objectKey(deployment));
    const executor = deployment.metadata.labels?.[executorLabel];
    if (executor === 'development') return this.#poolSizes.get(id)?.replicas ?? 0;
    if (executor !== 'deployment' || this.#wishes.has(id)) return undefined;
    return this.#supply.ownSize(id) ?? 0;
  }

  #planOf(key: ObjectKey): KeptPlan | undefined {
    const id = formatObjectKey(key);
    const pool = this.#poolSizes.get(id);
    if (pool !== undefined) return this.#planPool(key, pool);
    const wish = this.#wishes.get(id);
    const size = this.#supply.ownSize(id);
    if (wish === undefined || size === undefined) return undefined;
    const { revision } = wish;
    // One that is not wanted goes with its owner, and is made by the next wake.
    if (size === 0 && this.#kept.deployments.get(key) === undefined) return undefined;
    const isAwake = wish.count > 0 && wish.options?.trial !== true;
    const foreign = isAwake ? readForeignReplicas(this.#kept.deployments.get(key)) : undefined;
    return {
      deployment: planDeployment(revision, foreign ?? size, this.#options.terms),
      service: planRevisionService(revision),
    };
  }

  #planPool(key: ObjectKey, size: PoolSize): KeptPlan | undefined {
    const { terms } = this.#options;
    if (!isOwnPool(size.pool)) return { deployment: planPool(size, terms) };
    const revision = this.#ownPools.get(key);
    const isThere = this.#kept.deployments.get(key) !== undefined;
    if (revision === undefined || (size.replicas === 0 && !isThere)) return undefined;
    return { deployment: planOwnPool(revision, size, terms) };
  }

  /**
   * Says once why the API does not take what is wanted: it is tried again. Where it was applied it
   * is not found because its namespace is gone, and a pool that nobody waits for went with it.
   */
  #onRefused(key: ObjectKey, error: unknown): void {
    const deployment = formatObjectKey(key);
    const pool = this.#poolSizes.get(deployment);
    if (pool !== undefined && hasCode(error, 'NotFound') && this.#supply.forgetPool(pool)) {
      this.#poolSizes.delete(deployment);
      this.#refusals.delete(deployment);
      this.#obstacles.refused(key, undefined);
      return;
    }
    const why = error === undefined ? undefined : errorMessage(error);
    this.#obstacles.refused(key, isRefusal(error) ? why : undefined);
    if (this.#refusals.get(deployment) === why) return;
    if (why === undefined) this.#refusals.delete(deployment);
    else {
      this.#refusals.set(deployment, why);
      this.#options.logger.warn('Cannot apply a Deployment of functions', { deployment, why });
    }
  }

  #claim(pod: PodIdentity, { namespace, revision, instance }: Specialisation): void {
    const id = `${namespace}/${revision}`;
    const known = this.#wishes.get(id);
    if (known === undefined) return;
    const patch = known.isOwn ? planOwnClaim(instance) : planClaim(known.revision, instance);
    this.#writer.claim(pod, patch);
  }

  /** A Pod that goes is followed by another only where that is wanted. */
  async #leaveDeployment(pod: PodIdentity, signal: AbortSignal): Promise<void> {
    const found = this.#podOf(pod.uid);
    const place = found && placeOf(found);
    if (place?.kind !== 'own') return;
    const key = parseObjectKey(place.revision);
    const patch = planFarewell(pod.uid);
    await this.#options.client.of(podType).patch(pod, { type: 'merge', patch }, { signal });
    await this.#kept.bring(key, signal);
  }
}

/** Whether the API has said no, rather than nothing, or not now. */
function isRefusal(error: unknown): boolean {
  return refusals.some((code) => hasCode(error, code));
}

const refusals: readonly StatusReason[] = [
  ...(['BadRequest', 'Unauthorized', 'Forbidden', 'NotFound', 'MethodNotAllowed'] as const),
  // A webhook that cannot be reached is an internal error of the API.
  ...(['Invalid', 'RequestEntityTooLarge', 'InternalError'] as const),
];
