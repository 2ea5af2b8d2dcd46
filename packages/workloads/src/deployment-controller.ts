import { hasCode, jsonEqual } from '@fnlet/base';
import type { Cache, ResourceClient } from '@fnlet/client';
import { type ObjectKey, objectKey } from '@fnlet/machinery';
import {
  type Controller,
  createController,
  fromCache,
  type Result,
  toController,
} from '@fnlet/reconcile';
import { claimObjects } from './claims.ts';
import { type ControllerContext, requeueAt } from './controller-context.ts';
import { type Deployment, deploymentType, revisionAnnotation } from './deployment.ts';
import { limits } from './limits.ts';
import { controllerUid } from './owner.ts';
import { type DeploymentPlan, planDeployment, type ReplicaSetChange } from './plan-deployment.ts';
import { isFinished, type Pod } from './pod.ts';
import { withoutHash } from './pod-template-hash.ts';
import { type ReplicaSet, replicaSetType, wantedReplicas } from './replica-set.ts';
import { writeStatus } from './write-status.ts';

interface DeploymentCaches {
  readonly deployments: Cache<Deployment>;
  readonly replicaSets: Cache<ReplicaSet>;
}

/** Rolls out what Deployments ask for. */
export function createDeploymentController(
  context: ControllerContext,
  caches: DeploymentCaches,
): Controller {
  const { pods, clock, logger } = context;
  const { deployments, replicaSets } = caches;
  const ownersOfPod = (pod: Pod): ObjectKey[] => {
    const [key] = toController(replicaSetType)(pod);
    const owner = key && replicaSets.get(key);
    return owner === undefined ? [] : toController(deploymentType)(owner);
  };
  const ownersOfSet = (set: ReplicaSet): ObjectKey[] => {
    if (controllerUid(set) !== undefined) return toController(deploymentType)(set);
    return deployments.list(set.metadata.namespace).map(objectKey);
  };
  const run = new DeploymentRun(context, caches);
  return createController({
    name: 'deployments',
    sources: [
      fromCache(deployments),
      fromCache(replicaSets, { map: ownersOfSet }),
      // Only a Recreate waits for Pods, and only for those that go.
      fromCache(pods, { map: ownersOfPod, predicate: ({ kind }) => kind === 'deleted' }),
    ],
    reconcile: async (key, { signal }) => {
      const deployment = deployments.get(key);
      return deployment === undefined ? undefined : run.reconcile(deployment, signal);
    },
    concurrency: limits.workers,
    ...{ clock, logger },
  });
}

class DeploymentRun {
  readonly #context: ControllerContext;
  readonly #caches: DeploymentCaches;
  readonly #sets: ResourceClient<ReplicaSet>;
  readonly #deployments: ResourceClient<Deployment>;

  constructor(context: ControllerContext, caches: DeploymentCaches) {
    this.#context = context;
    this.#caches = caches;
    this.#sets = context.client.of<ReplicaSet>(replicaSetType);
    this.#deployments = context.client.of<Deployment>(deploymentType);
  }

  async reconcile(deployment: Deployment, signal: AbortSignal): Promise<Result | undefined> {
    const { clock } = this.#context;
    const { replicaSets, deployments } = this.#caches;
    const { selector } = deployment.spec;
    const owned = await claimObjects(
      { owner: deployment, selector, client: this.#sets, cache: replicaSets },
      signal,
    );
    const hasOldPods = this.#hasOldPods(deployment, owned);
    const nowMs = clock.now();
    const plan = planDeployment({ deployment, replicaSets: owned, hasOldPods, nowMs });
    const collided = plan.create !== undefined && !(await this.#create(deployment, plan, signal));
    for (const change of plan.change) await this.#change(deployment, change, signal);
    for (const set of plan.remove) await this.#remove(set, signal);
    const current = await this.#noteRevision(deployment, plan.revision, signal);
    const { collisionCount = 0 } = deployment.status ?? {};
    const status = collided ? { ...plan.status, collisionCount: collisionCount + 1 } : plan.status;
    const target = { client: this.#deployments, cache: deployments, object: current };
    await writeStatus(target, status, signal);
    return requeueAt(this.#context, collided ? nowMs : plan.lookAtMs);
  }

  /** Whether Pods of other templates run, or are still on their way out. */
  #hasOldPods(deployment: Deployment, owned: readonly ReplicaSet[]): boolean {
    if (deployment.spec.strategy?.type !== 'Recreate') return false;
    const wanted = withoutHash(deployment.spec.template);
    const old = new Set(
      owned
        .filter(({ spec }) => !jsonEqual(withoutHash(spec.template), wanted))
        .map(({ metadata }) => metadata.uid),
    );
    const pods = this.#context.pods.list(deployment.metadata.namespace);
    return pods.some((pod) => !isFinished(pod) && old.has(controllerUid(pod)));
  }

  /** False when the name is taken by something else: another hash is needed. */
  async #create(
    deployment: Deployment,
    { create }: DeploymentPlan,
    signal: AbortSignal,
  ): Promise<boolean> {
    if (create === undefined) return true;
    try {
      const created = await this.#sets.create(create, { signal });
      this.#caches.replicaSets.observe(created);
      this.#sayScaled(deployment, created, 0);
      return true;
    } catch (error) {
      if (!hasCode(error, 'AlreadyExists')) throw error;
      const found = await this.#sets.tryGet(objectKey(create), { signal });
      // Ours, and not in the cache yet: it will come.
      return found === undefined || controllerUid(found) === deployment.metadata.uid;
    }
  }

  async #change(
    deployment: Deployment,
    { replicaSet, replicas, annotations }: ReplicaSetChange,
    signal: AbortSignal,
  ): Promise<void> {
    const { uid, resourceVersion } = replicaSet.metadata;
    const patch = { metadata: { uid, resourceVersion, annotations }, spec: { replicas } };
    const key = objectKey(replicaSet);
    const changed = await this.#sets.patch(key, { type: 'merge', patch }, { signal });
    this.#caches.replicaSets.observe(changed);
    if (replicas !== wantedReplicas(replicaSet)) {
      this.#sayScaled(deployment, changed, wantedReplicas(replicaSet));
    }
  }

  async #remove(set: ReplicaSet, signal: AbortSignal): Promise<void> {
    const { uid } = set.metadata;
    try {
      const options = { preconditions: { uid }, propagation: 'Background' as const, signal };
      await this.#sets.delete(objectKey(set), options);
    } catch (error) {
      if (!hasCode(error, 'NotFound') && !hasCode(error, 'Conflict')) throw error;
    }
  }

  async #noteRevision(
    deployment: Deployment,
    revision: string | undefined,
    signal: AbortSignal,
  ): Promise<Deployment> {
    const { uid, annotations } = deployment.metadata;
    if (revision === undefined || annotations?.[revisionAnnotation] === revision) {
      return deployment;
    }
    const patch = { metadata: { uid, annotations: { [revisionAnnotation]: revision } } };
    // With the status, since a changed annotation would count as a new generation.
    const target = { subresource: 'status', signal };
    const key = objectKey(deployment);
    const noted = await this.#deployments.patch(key, { type: 'merge', patch }, target);
    this.#caches.deployments.observe(noted);
    // The rest of this run is about the state that was read.
    return {
      ...deployment,
      metadata: { ...noted.metadata, generation: deployment.metadata.generation ?? 0 },
    };
  }

  #sayScaled(deployment: Deployment, set: ReplicaSet, before: number): void {
    const replicas = wantedReplicas(set);
    const direction = replicas > before ? 'up' : 'down';
    const message = `Scaled ${direction} replica set ${set.metadata.name} from ${before} to ${replicas}`;
    const happening = { type: 'Normal', reason: 'ScalingReplicaSet', message } as const;
    this.#context.events.record(deployment, happening);
  }
}
