import {
  type EnvVar,
  functionLabel,
  managedBy,
  managedByLabel,
  type RevisionObject,
  type RevisionSpec,
  resolveResources,
  revisionLabel,
} from '@fnlet/api';
import { parseDuration } from '@fnlet/base';
import type { InstanceMount, InstanceVariable, PodWishes, RunnableRevision } from '@fnlet/executor';
import { formatObjectKey, objectKey } from '@fnlet/machinery';
import { compatibleLabels } from './compatible-labels.ts';
import { limits } from './limits.ts';
import { ownerReference } from './plan-revision.ts';

/** Everything that starting an Instance of a Revision takes. */
export function planRunnable(options: {
  readonly revision: RevisionObject;
  /** Name of the runtime that its own means. */
  readonly runsOn: string;
  readonly env: Readonly<Record<string, string>>;
  readonly mounts?: readonly InstanceMount[];
  readonly sourceDirectory: string;
  readonly bodyBytesMax: number;
}): RunnableRevision {
  const { revision, runsOn, env, mounts = [], sourceDirectory, bodyBytesMax } = options;
  const { metadata, spec } = revision;
  const timeoutMs = parseDuration(spec.timeout);
  const resources = resolveResources(spec.resources);
  const { memoryBytesMax } = resources;
  const [owner] = metadata.ownerReferences ?? [];
  const known = { name: spec.function, uid: owner?.uid ?? '' };
  return {
    id: formatObjectKey(objectKey(revision)),
    namespace: metadata.namespace ?? '',
    function: spec.function,
    revision: metadata.name,
    runtime: spec.runtime,
    runsOn,
    handler: spec.handler,
    ...(spec.compatibility === undefined ? {} : { compatibility: spec.compatibility }),
    sourceDirectory,
    env,
    variables: planVariables(spec.env),
    mounts,
    ...(spec.resources === undefined ? {} : { resources }),
    ...(spec.serviceAccountName === undefined
      ? {}
      : { serviceAccountName: spec.serviceAccountName }),
    pod: planPod(spec),
    limits: {
      timeoutMs,
      bodyBytesMax,
      drainMs: Math.max(timeoutMs, limits.drainMs),
      ...(memoryBytesMax === undefined ? {} : { memoryBytesMax }),
    },
    labels: {
      [managedByLabel]: managedBy,
      ...spec.labels,
      ...compatibleLabels(known, spec.compatibility),
      [functionLabel]: spec.function,
      [revisionLabel]: metadata.name,
    },
    annotations: spec.annotations ?? {},
    owner: ownerReference(revision),
  };
}

function planPod(spec: RevisionSpec): PodWishes {
  const { executor, development, imageOverride, mounts, pod = {} } = spec;
  const { securityContext: user, ...settings } = pod;
  return { executor, development, imageOverride, mounts, settings, user };
}

function planVariables(env: readonly EnvVar[] = []): readonly InstanceVariable[] {
  return env.flatMap(({ name, valueFrom }): InstanceVariable[] => {
    const { fieldRef, resourceFieldRef } = valueFrom ?? {};
    if (fieldRef !== undefined) return [{ name, fieldPath: fieldRef.fieldPath }];
    return resourceFieldRef === undefined ? [] : [{ name, resource: resourceFieldRef }];
  });
}
