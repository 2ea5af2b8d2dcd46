import { canonicalJson, isJsonObject, jsonEqual } from '@fnlet/base';
import { type ApplyConflict, applyMergePatch, type KubeObject } from '@fnlet/machinery';
import { withMetadata } from '../object/object-form.ts';

// How objects that kubectl applied on the client's side change over to server-side apply
// (apimachinery, managedfields/internal/lastapplied*.go). Only the manager `kubectl` takes part.

const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

/**
 * Whether kubectl, which changes over from client-side to server-side apply, only takes what is its
 * own: the fields that it applied before, which still are as it left them.
 */
export function mayTakeOver(
  manager: string,
  live: KubeObject | undefined,
  conflicts: readonly ApplyConflict[],
): boolean {
  const text = live?.metadata.annotations?.[lastApplied];
  if (manager !== 'kubectl' || text === undefined) return false;
  if (conflicts.some((conflict) => conflict.manager !== 'kubectl-client-side-apply')) return false;
  let applied: unknown;
  try {
    applied = JSON.parse(text);
  } catch {
    return false;
  }
  if (!isJsonObject(applied)) return false;
  const { metadata: _, ...rest } = applied;
  return jsonEqual(applyMergePatch(live, rest), live);
}

/** Keeps the annotation in step, so that going back to client-side apply works. */
export function updateLastApplied(
  manager: string,
  object: KubeObject,
  config: KubeObject,
): KubeObject {
  const { annotations } = object.metadata;
  if (manager !== 'kubectl' || annotations?.[lastApplied] === undefined) return object;
  const { [lastApplied]: _, ...others } = config.metadata.annotations ?? {};
  const isBare = Object.keys(others).length === 0;
  const applied = withMetadata(config, { annotations: isBare ? undefined : others });
  const text = `${canonicalJson(applied)}\n`;
  return withMetadata(object, { annotations: { ...annotations, [lastApplied]: text } });
}
