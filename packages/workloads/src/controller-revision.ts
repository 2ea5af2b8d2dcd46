import { canonicalJson } from '@fnlet/base';
import type { KubeObject, ResourceType } from '@fnlet/machinery';
import { controllerReference } from './owner.ts';
import type { PodTemplate } from './pod.ts';

/** apps/v1 ControllerRevision: one template that a StatefulSet or DaemonSet had. */
export interface ControllerRevision extends KubeObject {
  /** A strategic merge patch that brings the template back: `kubectl rollout undo` sends it. */
  readonly data?: unknown;
  /** Its place in the history: the highest is the present one. */
  readonly revision: number;
}

export const controllerRevisionType: ResourceType = {
  group: 'apps',
  version: 'v1',
  kind: 'ControllerRevision',
  plural: 'controllerrevisions',
  namespaced: true,
};

/** What a history is kept of. */
export interface RevisionOwner extends KubeObject {
  readonly spec: { readonly template: PodTemplate; readonly revisionHistoryLimit?: number };
}

/** The template of `owner`, written down (pkg/controller/history, NewControllerRevision). */
export function createControllerRevision(
  owner: RevisionOwner,
  {
    hash,
    hashLabel,
    revision,
  }: {
    readonly hash: string;
    /** The label that carries the hash: the two kinds differ in it. */
    readonly hashLabel: string;
    readonly revision: number;
  },
): ControllerRevision {
  const { name, namespace, annotations } = owner.metadata;
  return {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: {
      name: `${name}-${hash}`,
      ...(namespace === undefined ? {} : { namespace }),
      labels: { ...owner.spec.template.metadata?.labels, [hashLabel]: hash },
      // With the change cause, which the history shows.
      ...(annotations === undefined ? {} : { annotations }),
      ownerReferences: [controllerReference(owner)],
    },
    data: revisionData(owner.spec.template),
    revision,
  };
}

/** The patch that sets a template as a whole; keys in order, as kubectl compares its text. */
export function revisionData(template: PodTemplate): unknown {
  const patch = { spec: { template: { ...template, $patch: 'replace' } } };
  return JSON.parse(canonicalJson(patch));
}
