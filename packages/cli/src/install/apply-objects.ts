import { type Discovery, installCrds } from '@fnlet/client';
import type { KubeObject, ResourceType } from '@fnlet/machinery';
import type { CliContext } from '../cli-context.ts';
import { CliError } from '../cli-error.ts';
import { exitCodes } from '../exit-codes.ts';
import { type ClusterConnection, discoverKinds } from './cluster-connection.ts';
import { installationLabel } from './installation-labels.ts';

/**
 * Kinds that installations of any release are made of: what such an object is part of, and is not
 * planned any more, goes.
 */
const ownedKinds: readonly (readonly [apiVersion: string, kind: string])[] = [
  // Before who answers there: with nobody behind them, namespaces cannot be deleted.
  ['apiregistration.k8s.io/v1', 'APIService'],
  ['monitoring.coreos.com/v1', 'PodMonitor'],
  ['networking.k8s.io/v1', 'NetworkPolicy'],
  ['autoscaling/v2', 'HorizontalPodAutoscaler'],
  ['policy/v1', 'PodDisruptionBudget'],
  ['apps/v1', 'Deployment'],
  ['apps/v1', 'StatefulSet'],
  ['v1', 'Service'],
  ['rbac.authorization.k8s.io/v1', 'RoleBinding'],
  ['rbac.authorization.k8s.io/v1', 'Role'],
  ['rbac.authorization.k8s.io/v1', 'ClusterRoleBinding'],
  ['rbac.authorization.k8s.io/v1', 'ClusterRole'],
  ['v1', 'ServiceAccount'],
  ['v1', 'PersistentVolumeClaim'],
  ['v1', 'ConfigMap'],
  ['scheduling.k8s.io/v1', 'PriorityClass'],
];

/** `deployment/fnlet-controller`, as kubectl names objects. */
export function describeObject({ kind, metadata }: KubeObject): string {
  return `${kind.toLowerCase()}/${metadata.name}`;
}

/**
 * Applies the objects in their order, those that define kinds at once, and says what changed.
 *
 * @throws CliError when the cluster does not serve a kind; StatusError
 */
export async function applyObjects(
  connection: ClusterConnection,
  objects: readonly KubeObject[],
  { clock, stderr }: CliContext,
): Promise<void> {
  const { client, signal } = connection;
  const discovery = await discoverKinds(connection);
  const types = new Map(objects.map((object) => [object, typeOf(discovery, object)] as const));
  const definitions = objects.filter(isDefinition);
  let applied = 0;
  for (const object of objects) {
    if (isDefinition(object)) {
      if (object !== definitions[0]) continue;
      await installCrds(client, definitions, { clock, signal });
      stderr.write(`  ${definitions.length} definitions of kinds served\n`);
      continue;
    }
    const type = types.get(object);
    if (type === undefined) continue;
    const resource = client.of(type);
    const { namespace = '', name } = object.metadata;
    const before = await resource.tryGet({ namespace, name }, { signal });
    const after = await resource.apply(object, { force: true, signal });
    const same = before?.metadata.resourceVersion === after.metadata.resourceVersion;
    if (same) continue;
    applied += 1;
    const what = before === undefined ? 'created' : 'configured';
    stderr.write(`  ${describeObject(object)} ${what}\n`);
  }
  if (applied === 0) stderr.write('  nothing else changed\n');
}

function isDefinition({ kind }: KubeObject): boolean {
  return kind === 'CustomResourceDefinition';
}

function typeOf(discovery: Discovery, object: KubeObject): ResourceType {
  const found = discovery.ofKind(object.apiVersion, object.kind);
  if (found !== undefined) return found.type;
  const { kind, apiVersion } = object;
  const text = `Cannot install ${describeObject(object)}: found no ${kind} of ${apiVersion} in the API`;
  const remedy =
    kind === 'PodMonitor'
      ? 'Install the Prometheus Operator first, or leave podMonitor at false'
      : 'Fnlet needs Kubernetes 1.28 or later; fnlet doctor says what this cluster is';
  throw new CliError(exitCodes.failed, text, { remedy });
}

/**
 * Deletes what is part of the installation in `namespace` and not among `planned`; an object that
 * `isKept` stays.
 *
 * @returns how many it deleted
 */
export async function pruneObjects(
  connection: ClusterConnection,
  terms: {
    readonly namespace: string;
    readonly planned: readonly KubeObject[];
    isKept(object: KubeObject): boolean;
  },
  { stderr }: CliContext,
): Promise<number> {
  const { client, signal } = connection;
  const { namespace, planned, isKept } = terms;
  const discovery = await discoverKinds(connection);
  const wanted = new Set(planned.map(describeObject));
  let deleted = 0;
  for (const [apiVersion, kind] of ownedKinds) {
    const type = discovery.ofKind(apiVersion, kind)?.type;
    if (type === undefined) continue;
    const labelSelector = `${installationLabel}=${namespace}`;
    const where = type.namespaced ? { namespace } : {};
    const { items } = await client.of(type).list({ ...where, labelSelector, signal });
    for (const { metadata } of items) {
      const object = { apiVersion, kind, metadata };
      if (wanted.has(describeObject(object)) || isKept(object)) continue;
      await deleteObject(connection, type, metadata);
      stderr.write(`  ${describeObject(object)} deleted\n`);
      deleted += 1;
    }
  }
  return deleted;
}

/** Deletes an object; one that is gone is as good. */
export async function deleteObject(
  { client, signal }: ClusterConnection,
  type: ResourceType,
  { namespace, name }: { readonly namespace?: string; readonly name: string },
): Promise<void> {
  const key = { namespace: namespace ?? '', name };
  if ((await client.of(type).tryGet(key, { signal })) === undefined) return;
  await client.of(type).delete(key, { signal, propagation: 'Background' });
}
