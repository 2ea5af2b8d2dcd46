import type { Clock, Logger, Random } from '@fnlet/base';
import { type Cache, type Client, createCache } from '@fnlet/client';
import { formatObjectKey, type KubeObject } from '@fnlet/machinery';
import { type Controller, createController } from '@fnlet/reconcile';
import type { Executor, RunnableRevision } from '../executor.ts';
import { InstanceLoop, type UntilUncalled } from '../instance-loop.ts';
import { podType } from '../instance-pod.ts';
import { discardOutput } from '../output-keeper.ts';
import type { PoolBounds } from '../pool-size.ts';
import type { ArtifactArchives } from './artifact-archives.ts';
import { deploymentType } from './deployment-type.ts';
import { planClaim } from './plan-claim.ts';
import { type PoolTerms, planPool, poolName } from './plan-pool.ts';
import { PodSupply, type PoolSize } from './pod-supply.ts';
import { PodWriter } from './pod-writer.ts';
import { RunnerFront, type RunnerFrontOptions } from './runner-front.ts';

export interface PodExecutorOptions extends Pick<RunnerFrontOptions, 'certificate' | 'identify'> {
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

/**
 * Runs Instances as Pods.
 */
export function createPodExecutor(options: PodExecutorOptions): PodExecutor {
  const { client, archives, runtimes, bounds, clock, random, logger } = options;
  const revisions = new Map<string, RunnableRevision>();
  const pools = createPools(options);
  const writer: PodWriter = new PodWriter({
    ...{ client, clock, random, logger },
    onClaimed: (uid) => supply.onClaimed(uid),
    onGone: (uid) => supply.onGone(uid),
  });
  const supply: PodSupply = new PodSupply({
    care: {
      artifactOf: (directory) => archives.of(directory),
      hostOf: ({ uid }) => pods.byIndex(byUid, uid).map(addressOf)[0],
      claim(pod, { namespace, revision, instance }) {
        const known = revisions.get(`${namespace}/${revision}`);
        if (known !== undefined) writer.claim(pod, planClaim(known, instance));
      },
      end: (pod, graceMs) => writer.end(pod, graceMs),
    },
    ...{ runtimes, bounds, clock },
    onPoolSize: (size) => pools.resize(size),
    podsOf: (revision) =>
      pods.byIndex(byRevision, revision).flatMap(({ metadata }) => metadata.uid ?? []),
  });
  const front = new RunnerFront({
    certificate: options.certificate,
    identify: options.identify,
    onRunner: (connection, hello) => supply.onRunner(connection, hello),
    // Whatever is asked for by its digest was named to somebody: it is no secret among Pods.
    fileOf: async (digest) => archives.find(digest),
    ...{ clock, logger },
  });
  const loop = new InstanceLoop({
    ...(options.untilUncalled === undefined ? {} : { untilUncalled: options.untilUncalled }),
    // What differs between Instances of a Pod is told by the Pod itself.
    node: { name: '', capacity: { cpu: '0', memory: '0' } },
    ...{ supply, output: discardOutput, clock, random, logger },
  });
  const pods = followPods(options, (uid) => {
    writer.forget(uid);
    supply.onGone(uid);
  });
  const release = async (): Promise<void> => {
    await supply.close();
    await front[Symbol.asyncDispose]();
  };
  const close = async (graceMs?: number): Promise<void> => {
    await loop.close(graceMs);
    await release();
  };
  return {
    ensure(revision, count, wish) {
      if (count > 0) revisions.set(revision.id, revision);
      loop.ensure(revision, count, wish);
    },
    instances: (revisionId) => loop.instances(revisionId),
    evict: (instanceId, graceMs) => loop.evict(instanceId, graceMs),
    subscribe: (listener) => loop.subscribe(listener),
    synced: pods.synced,
    renew: (certificate) => front.renew(certificate),
    listen: (address) => front.listen(address),
    async run(signal) {
      await Promise.all([pods.run(signal), writer.run(signal), pools.run(signal)]);
    },
    release,
    close,
    [Symbol.asyncDispose]: () => close(),
  };
}

/** The Pods that are Fnlet's, and when one of them is gone. */
function followPods(
  { client, clock, random, logger }: PodExecutorOptions,
  onGone: (uid: string) => void,
): Cache<PlacedPod> {
  const pods = createCache<PlacedPod>({
    ...{ client, type: podType, clock, random, logger },
    labelSelector: 'app.kubernetes.io/managed-by=fnlet',
    keep: ['status.podIP'],
    indexes: { [byRevision]: revisionOf, [byUid]: ({ metadata: { uid = '' } }) => [uid] },
  });
  pods.subscribe(({ kind, object: { metadata } }) => {
    if (kind === 'deleted' && metadata.uid !== undefined) onGone(metadata.uid);
  });
  return pods;
}

const byRevision = 'revision';
const byUid = 'uid';

interface PlacedPod extends KubeObject {
  readonly status?: { readonly podIP?: string };
}

function addressOf({ status }: PlacedPod): string | undefined {
  return status?.podIP === '' ? undefined : status?.podIP;
}

function revisionOf({ metadata }: KubeObject): readonly string[] {
  const { namespace, labels, deletionTimestamp } = metadata;
  const name = labels?.['fnlet.dev/revision'];
  return name === undefined || deletionTimestamp !== undefined ? [] : [`${namespace}/${name}`];
}

/** Keeps Deployments as large as pools want to be. */
function createPools(options: PodExecutorOptions): {
  resize(size: PoolSize): void;
  run(signal: AbortSignal): Promise<void>;
} {
  const { client, terms, prepareNamespace, clock, random, logger } = options;
  const deployments = client.of<KubeObject>(deploymentType);
  const wanted = new Map<string, PoolSize>();
  const controller: Controller = createController({
    name: 'pools',
    sources: [],
    async reconcile(key, { signal }) {
      const size = wanted.get(formatObjectKey(key));
      if (size === undefined) return {};
      await prepareNamespace?.(size.namespace, signal);
      await deployments.apply(planPool(size, terms), { force: true, signal });
      return {};
    },
    ...{ clock, random, logger },
  });
  return {
    resize(size) {
      const key = { namespace: size.namespace, name: poolName(size.runtime) };
      wanted.set(formatObjectKey(key), size);
      controller.enqueue(key);
    },
    run: (signal) => controller.run(signal),
  };
}
