import type { KubeObject } from '@fnlet/machinery';
import { decideWrite } from './decide-write.ts';
import { OwnedFieldsReader } from './owned-fields.ts';

/**
 * Whether an apply of `manifest` by `manager` would change nothing about `live`, as far as the
 * object itself tells: exactly the wanted fields are the manager's, and their values mean the same.
 * In doubt `false`.
 *
 * @example
 * if (!isApplied(manifest, { live, manager: 'sites' })) await client.apply(manifest);
 */
export function isApplied(
  manifest: KubeObject,
  { live, manager }: { readonly live: KubeObject | undefined; readonly manager: string },
): boolean {
  const reader = new OwnedFieldsReader();
  const question = { manifest, observed: live, applied: undefined, applier: { manager }, reader };
  return !decideWrite(question).isNeeded;
}
