import type { ManagedFieldsEntry } from '../object.ts';
import { type StatusError, statusError } from '../status.ts';
import { pathsOf } from './field-set.ts';
import type { Dispute } from './ownership.ts';
import { formatPath } from './path-element.ts';

/** A field that an apply would change although another manager owns it. */
export interface ApplyConflict {
  readonly manager: string;
  readonly operation: ManagedFieldsEntry['operation'];
  readonly apiVersion: string;
  readonly subresource?: string;
  /** When the owner last took a field, RFC 3339. */
  readonly time?: string;
  /** Path such as `.spec.ports[port=80,protocol="TCP"].note`. */
  readonly field: string;
}

/** One conflict per disputed field, owners in order of their names. */
export function applyConflicts(disputes: readonly Dispute[]): readonly ApplyConflict[] {
  return disputes
    .toSorted((a, b) => (ownerText(a.owner) < ownerText(b.owner) ? -1 : 1))
    .flatMap(({ owner: { fields: _, ...owner }, fields }) =>
      [...pathsOf(fields)].map((path) => ({ ...owner, field: formatPath(path) })),
    );
}

/**
 * The 409 answer to an apply with conflicts, in Kubernetes' words:
 * `Apply failed with 1 conflict: conflict with "curl" using v1: .data.k`.
 */
export function conflictStatus(conflicts: readonly ApplyConflict[]): StatusError {
  return statusError('Conflict', conflictMessage(conflicts), {
    causes: conflicts.map((conflict) => ({
      reason: 'FieldManagerConflict',
      message: `conflict with ${ownerText(conflict)}`,
      field: conflict.field,
    })),
  });
}

function conflictMessage(conflicts: readonly ApplyConflict[]): string {
  const [first] = conflicts;
  if (first !== undefined && conflicts.length === 1) {
    return `Apply failed with 1 conflict: conflict with ${ownerText(first)}: ${first.field}`;
  }
  const lines = [...Map.groupBy(conflicts, ownerText)].flatMap(([owner, own]) => [
    `conflicts with ${owner}:`,
    ...own.map(({ field }) => `- ${field}`),
  ]);
  return `Apply failed with ${conflicts.length} conflicts: ${lines.join('\n')}`;
}

type OwnerName = Pick<ApplyConflict, 'manager' | 'operation' | 'apiVersion' | 'subresource'>;

function ownerText({ manager, operation, apiVersion, subresource }: OwnerName): string {
  const through =
    subresource === undefined ? '' : ` with subresource ${JSON.stringify(subresource)}`;
  const using = operation === 'Update' ? ` using ${apiVersion}` : '';
  return JSON.stringify(manager) + through + using;
}
