/** Groups of the cluster's API that the controller answers for (Kubernetes, API aggregation). */
import type { ApiExtension } from '@fnlet/apiserver/extension';

/** A resource as discovery tells it (meta/v1 APIResource). */
export interface AggregatedResource {
  readonly name: string;
  readonly singularName: string;
  readonly namespaced: boolean;
  readonly kind: string;
  readonly verbs: readonly string[];
}

/** A group, and who answers for it. */
export interface AggregatedGroup {
  readonly extension: ApiExtension;
  /** Preferred first. */
  readonly versions: readonly string[];
  /**
   * What discovery tells of them. Controllers of Kubernetes act on what they discover: they delete
   * what can be listed and deleted with its namespace, as objects. Records are no objects, so
   * nothing is told of them. Default: nothing.
   */
  readonly resources?: readonly AggregatedResource[];
}

/** Whether a group is served in this version. */
export function findGroup(
  groups: readonly AggregatedGroup[],
  group: string,
  version: string,
): AggregatedGroup | undefined {
  return groups.find(
    ({ extension, versions }) => extension.group === group && versions.includes(version),
  );
}

/** `/apis` (meta/v1 APIGroupList) */
export function groupListDocument(groups: readonly AggregatedGroup[]): object {
  return { kind: 'APIGroupList', apiVersion: 'v1', groups: groups.map(entryOf) };
}

/** `/apis/<group>` (meta/v1 APIGroup); `undefined`: it is not served. */
export function groupDocument(
  groups: readonly AggregatedGroup[],
  group: string,
): object | undefined {
  const found = groups.find(({ extension }) => extension.group === group);
  return found && { kind: 'APIGroup', apiVersion: 'v1', ...entryOf(found) };
}

/** `/apis/<group>/<version>` (meta/v1 APIResourceList); `undefined`: it is not served. */
export function resourcesDocument(
  groups: readonly AggregatedGroup[],
  group: string,
  version: string,
): object | undefined {
  const found = findGroup(groups, group, version);
  if (found === undefined) return undefined;
  const { resources = [] } = found;
  const groupVersion = `${group}/${version}`;
  return { kind: 'APIResourceList', apiVersion: 'v1', groupVersion, resources };
}

function entryOf({ extension: { group: name }, versions: names }: AggregatedGroup): object {
  const versions = names.map((version) => ({ groupVersion: `${name}/${version}`, version }));
  return { name, versions, preferredVersion: versions[0] };
}
