import { hasCode, isJsonObject, type JsonObject } from '@fnlet/base';
import type { Cache, Client, DiscoveryCache } from '@fnlet/client';
import type { KubeObject, OwnerReference } from '@fnlet/machinery';
import type { Deployment } from './deployment.ts';
import { controllerUid } from './owner.ts';
import type { ControllerScale } from './plan-disruption.ts';
import { type ReplicaSet, wantedReplicas } from './replica-set.ts';
import type { StatefulSet } from './stateful-set.ts';

export interface ScaledCaches {
  readonly replicaSets: Cache<ReplicaSet>;
  readonly deployments: Cache<Deployment>;
  readonly statefulSets: Cache<StatefulSet>;
}

export interface ScaleOptions {
  readonly client: Client;
  readonly caches: ScaledCaches;
  readonly discovery: DiscoveryCache;
}

/**
 * How many Pods each controller of these Pods wants, by its uid: from the caches where it is one of
 * Kubernetes' own kinds, else from the `scale` subresource of its kind. What is not there any more
 * is left out.
 */
export async function readScales(
  pods: readonly KubeObject[],
  options: ScaleOptions,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, ControllerScale>> {
  const references = new Map<
    string,
    { readonly owner: OwnerReference; readonly namespace: string }
  >();
  for (const { metadata } of pods) {
    const owner = (metadata.ownerReferences ?? []).find(({ controller }) => controller === true);
    if (owner !== undefined)
      references.set(owner.uid, { owner, namespace: metadata.namespace ?? '' });
  }
  const scales = new Map<string, ControllerScale>();
  for (const [uid, { owner, namespace }] of references) {
    const scale =
      cachedScale(options.caches, owner, namespace) ??
      (await askScale(options, { owner, namespace }, signal));
    if (scale !== undefined) scales.set(uid, scale);
  }
  return scales;
}

function cachedScale(
  { replicaSets, deployments, statefulSets }: ScaledCaches,
  { apiVersion, kind, name, uid }: OwnerReference,
  namespace: string,
): ControllerScale | undefined {
  if (!apiVersion.startsWith('apps/')) return undefined;
  if (kind === 'StatefulSet') {
    const found = statefulSets.get({ namespace, name });
    if (found?.metadata.uid !== uid) return undefined;
    return { kind: 'scaled', uid, replicas: found.spec.replicas ?? 1 };
  }
  const set = kind === 'ReplicaSet' ? replicaSets.get({ namespace, name }) : undefined;
  if (set?.metadata.uid !== uid) return undefined;
  // The sets of one Deployment are counted as one.
  const deployment = deployments
    .list(namespace)
    .find(({ metadata }) => metadata.uid === controllerUid(set));
  if (deployment === undefined) return { kind: 'scaled', uid, replicas: wantedReplicas(set) };
  const { metadata, spec } = deployment;
  return { kind: 'scaled', uid: metadata.uid ?? uid, replicas: spec.replicas ?? 1 };
}

async function askScale(
  { client, discovery }: ScaleOptions,
  { owner, namespace }: { readonly owner: OwnerReference; readonly namespace: string },
  signal: AbortSignal,
): Promise<ControllerScale | undefined> {
  const { apiVersion, kind, name, uid } = owner;
  const resource = await discovery.ofKind(apiVersion, kind, { signal });
  if (resource === undefined) return undefined;
  const { type } = resource;
  if (!resource.subresources.includes('scale')) {
    const what = type.group === '' ? type.plural : `${type.plural}.${type.group}`;
    return { kind: 'unknown', why: `${what} does not implement the scale subresource` };
  }
  const scale = await client
    .of<KubeObject>(type)
    .getSubresource({ namespace, name }, 'scale', { signal })
    .catch(absent);
  if (!isJsonObject(scale?.metadata) || scale.metadata.uid !== uid) return undefined;
  const { replicas = 0 } = isJsonObject(scale.spec) ? scale.spec : {};
  return { kind: 'scaled', uid, replicas: Number(replicas) };
}

function absent(error: unknown): JsonObject | undefined {
  if (hasCode(error, 'NotFound')) return undefined;
  throw error;
}
