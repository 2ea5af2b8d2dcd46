import {
  functionLabel,
  managedBy,
  managedByLabel,
  type RevisionObject,
  revisionLabel,
} from '@fnlet/api';
import { parseDuration } from '@fnlet/base';
import type { RunnableRevision } from '@fnlet/executor';
import { formatObjectKey, objectKey } from '@fnlet/machinery';
import { compatibleLabels } from './compatible-labels.ts';
import { limits } from './limits.ts';
import { ownerReference } from './plan-revision.ts';

/** Everything that starting an Instance of a Revision takes. */
export function planRunnable(options: {
  readonly revision: RevisionObject;
  readonly env: Readonly<Record<string, string>>;
  readonly sourceDirectory: string;
  readonly bodyBytesMax: number;
}): RunnableRevision {
  const { revision, env, sourceDirectory, bodyBytesMax } = options;
  const { metadata, spec } = revision;
  const timeoutMs = parseDuration(spec.timeout);
  const [owner] = metadata.ownerReferences ?? [];
  const known = { name: spec.function, uid: owner?.uid ?? '' };
  return {
    id: formatObjectKey(objectKey(revision)),
    namespace: metadata.namespace ?? '',
    function: spec.function,
    revision: metadata.name,
    runtime: spec.runtime,
    handler: spec.handler,
    ...(spec.compatibility === undefined ? {} : { compatibility: spec.compatibility }),
    sourceDirectory,
    env,
    limits: { timeoutMs, bodyBytesMax, drainMs: Math.min(timeoutMs, limits.drainMs) },
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
