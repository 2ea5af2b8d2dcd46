import { hasCode, sleep } from '@fnlet/base';
import type { KubeObject, ResourceType } from '@fnlet/machinery';
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
import { removeOperators, tellHeldObjects } from '../install/remove-operators.ts';
import { removeRoutes } from '../install/remove-routes.ts';
import { installPollMs, purgeWaitMs } from '../limits.ts';

const serviceType: ResourceType = {
  ...{ group: '', version: 'v1', kind: 'Service', plural: 'services', namespaced: true },
};

const policyType: ResourceType = {
  ...{ group: 'networking.k8s.io', version: 'v1', namespaced: true },
  ...{ kind: 'NetworkPolicy', plural: 'networkpolicies' },
};

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
  if (purge) await removeOperators(connection, namespace, context);
  const deleted = await pruneObjects(connection, terms, context);
  if (deleted === 0 && !purge) {
    const text = `Cannot uninstall Fnlet: found nothing of it in the namespace "${namespace}"`;
    throw new CliError(exitCodes.notFound, text, {
      remedy: 'Name the namespace of the installation with -n',
    });
  }
  await deleteMade(connection, namespace);
  await removeRoutes(connection, { ingress: false, httpRoute: false });
  if (!purge) {
    await offerDefinitions(connection, namespace);
    await tellHeldObjects(connection, context);
    context.stdout.write(
      `Fnlet is gone; Functions, their kinds and the namespace ${namespace} are still there\n`,
    );
    return;
  }
  for (const { metadata } of installedDefinitions) {
    await deleteObject(connection, clusterTypes.definition, metadata);
  }
  await deleteObject(connection, clusterTypes.namespace, { name: namespace });
  await awaitGone(connection, namespace, context);
  context.stdout.write('Fnlet is gone, with all Functions and other objects of its kinds\n');
}

/**
 * Definitions that stay are nobody's: marked so, a release of Helm takes them over, as one that is
 * called `fnlet` does in this namespace. Helm refuses to install what is there otherwise.
 */
async function offerDefinitions(
  { client, signal }: ClusterConnection,
  namespace: string,
): Promise<void> {
  const metadata = {
    labels: { 'app.kubernetes.io/managed-by': 'Helm' },
    annotations: {
      'meta.helm.sh/release-name': 'fnlet',
      'meta.helm.sh/release-namespace': namespace,
    },
  };
  const patch = { type: 'merge', patch: { metadata } } as const;
  const definitions = client.of(clusterTypes.definition);
  for (const { metadata: its } of installedDefinitions) {
    const key = { namespace: '', name: its.name };
    await definitions.patch(key, patch, { signal }).catch((error: unknown) => {
      if (!hasCode(error, 'NotFound')) throw error;
    });
  }
}

/**
 * Waits until the definitions, and with them all objects of their kinds, and the namespace are
 * gone: an installation that began before would lose what it has made.
 *
 * @throws CliError `timedOut`, naming what is still there
 */
async function awaitGone(
  { client, signal }: ClusterConnection,
  namespace: string,
  { clock, stderr }: CliContext,
): Promise<void> {
  const waiting = new Map<string, () => Promise<unknown>>();
  const add = (what: string, type: ResourceType, name: string): void => {
    const key = { namespace: '', name };
    waiting.set(what, () => client.of(type).tryGet(key, { signal }));
  };
  for (const { metadata } of installedDefinitions) {
    add(`crd/${metadata.name}`, clusterTypes.definition, metadata.name);
  }
  add(`namespace/${namespace}`, clusterTypes.namespace, namespace);
  const endMs = clock.monotonicMs() + purgeWaitMs;
  for (let isTold = false; ; isTold = true) {
    for (const [what, get] of waiting) if ((await get()) === undefined) waiting.delete(what);
    if (waiting.size === 0) return;
    const left = [...waiting.keys()].join(', ');
    if (!isTold) stderr.write(`  waiting for ${left}\n`);
    const isLate = clock.monotonicMs() > endMs;
    if (isLate || !(await sleep(clock, installPollMs, signal))) {
      throw new CliError(exitCodes.timedOut, `Fnlet is not gone yet: ${left}`, {
        remedy: 'What keeps them are finalizers: look at kubectl get <kind> -A -o yaml',
      });
    }
  }
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
  const own = 'app.kubernetes.io/managed-by=fnlet,fnlet.dev/executor';
  const pods = 'app.kubernetes.io/managed-by=fnlet,fnlet.dev/instance';
  const builds = 'app.kubernetes.io/managed-by=fnlet,fnlet.dev/build';
  const programs = 'fnlet.dev/runner-program';
  const settled = `fnlet.dev/records=${clusterNames.settledConfigMap}`;
  const made = [
    [clusterTypes.deployment, pools],
    [clusterTypes.deployment, own],
    [serviceType, own],
    [policyType, clusterNames.functionsPolicyLabel],
    [clusterTypes.pod, pods],
    [clusterTypes.pod, builds],
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
