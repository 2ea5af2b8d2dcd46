import type { KubeObject } from '@fnlet/machinery';
import { clusterNames } from '@fnlet/server/cluster/names';
import type { CliContext } from '../cli-context.ts';
import { CliError } from '../cli-error.ts';
import { exitCodes } from '../exit-codes.ts';
import { deleteObject, pruneObjects } from '../install/apply-objects.ts';
import {
  type ClusterConnection,
  clusterTypes,
  connectToCluster,
} from '../install/cluster-connection.ts';
import { installedDefinitions } from '../install/plan-install.ts';

export interface UninstallFlags {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly namespace: string;
  /** Whether the kinds go too, with all Functions and other objects of users. */
  readonly purge?: boolean;
}

/**
 * `fnlet uninstall`: deletes what was installed and what it made. Objects of users stay with the
 * definitions of their kinds, unless told; so do the namespace and volumes.
 */
export async function uninstall(flags: UninstallFlags, context: CliContext): Promise<void> {
  await using connection = await connectToCluster(flags, context);
  const { namespace, purge = false } = flags;
  const isKept = ({ kind }: KubeObject): boolean => !purge && kind === 'PersistentVolumeClaim';
  const terms = { namespace, planned: [], isKept };
  const deleted = await pruneObjects(connection, terms, context);
  if (deleted === 0 && !purge) {
    const text = `Cannot uninstall Fnlet: found nothing of it in the namespace "${namespace}"`;
    throw new CliError(exitCodes.notFound, text, {
      remedy: 'Name the namespace of the installation with -n',
    });
  }
  await deleteMade(connection, namespace);
  if (!purge) {
    context.stdout.write(
      `Fnlet is gone; Functions, their kinds and the namespace ${namespace} are still there\n`,
    );
    return;
  }
  for (const { metadata } of installedDefinitions) {
    await deleteObject(connection, clusterTypes.definition, metadata);
  }
  await deleteObject(connection, clusterTypes.namespace, { name: namespace });
  context.stdout.write('Fnlet is gone, with all Functions and other objects of its kinds\n');
}

/** What the controller has made besides: it is not there any more to remove it. */
async function deleteMade(connection: ClusterConnection, namespace: string): Promise<void> {
  const { client, signal } = connection;
  const { lease, certificateSecret, controllerService, authorityConfigMap } = clusterNames;
  await deleteObject(connection, clusterTypes.lease, { namespace, name: lease });
  await deleteObject(connection, clusterTypes.secret, { namespace, name: certificateSecret });
  const slice = { namespace, name: controllerService };
  await deleteObject(connection, clusterTypes.endpointSlice, slice);
  // Pods of pools and of functions have nobody any more who tells them what to run.
  const pools = 'app.kubernetes.io/managed-by=fnlet,fnlet.dev/pool';
  const pods = 'app.kubernetes.io/managed-by=fnlet,fnlet.dev/instance';
  const programs = 'fnlet.dev/runner-program';
  const settled = `fnlet.dev/records=${clusterNames.settledConfigMap}`;
  const made = [
    [clusterTypes.deployment, pools],
    [clusterTypes.pod, pods],
    [clusterTypes.configMap, programs],
    [clusterTypes.configMap, settled],
  ] as const;
  for (const [type, labelSelector] of made) {
    for await (const { metadata } of client.of(type).listAll({ labelSelector, signal })) {
      await deleteObject(connection, type, metadata);
    }
  }
  const labelSelector = 'app.kubernetes.io/managed-by=fnlet';
  const configMaps = client.of(clusterTypes.configMap);
  for await (const { metadata } of configMaps.listAll({ labelSelector, signal })) {
    if (metadata.name !== authorityConfigMap) continue;
    await deleteObject(connection, clusterTypes.configMap, metadata);
  }
}
