import type { KubeObject } from '@fnlet/machinery';
import {
  type ClusterConnection,
  clusterTypes,
  type DeploymentObject,
} from './cluster-connection.ts';

/** A HorizontalPodAutoscaler, as far as it is read here. */
interface Autoscaler extends KubeObject {
  readonly spec: {
    readonly minReplicas: number;
    readonly scaleTargetRef: { readonly name: string };
  };
}

/**
 * Starts as many Pods as the autoscalers among `objects` want at least, instead of one until they
 * look for the first time. It is done by another field manager: a Deployment that is applied
 * without `replicas` keeps what its autoscaler has made of it only while somebody else owns that.
 */
export async function raiseReplicas(
  { client, signal }: ClusterConnection,
  objects: readonly KubeObject[],
): Promise<void> {
  const deployments = client
    .as(`${client.fieldManager}-replicas`)
    .of<DeploymentObject>(clusterTypes.deployment);
  for (const { metadata, spec } of objects.filter(isAutoscaler)) {
    const key = { namespace: metadata.namespace ?? '', name: spec.scaleTargetRef.name };
    const replicas = spec.minReplicas;
    const found = await deployments.get(key, { signal });
    if ((found.spec?.replicas ?? 1) >= replicas) continue;
    const patch = { spec: { replicas } };
    await deployments.patch(key, { type: 'merge', patch }, { signal });
  }
}

function isAutoscaler(object: KubeObject): object is Autoscaler {
  return object.kind === 'HorizontalPodAutoscaler';
}
