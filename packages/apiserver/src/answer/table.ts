import type { KubeObject } from '@fnlet/machinery';
import type { Column } from './column.ts';

/** What the rows of a Table carry besides their cells. */
export type IncludeObject = 'Metadata' | 'Object' | 'None';

/** The metadata of an object alone, of any kind (meta.k8s.io). */
export function partialMetadata(object: unknown, version: string): unknown {
  const metadata =
    typeof object === 'object' && object !== null && 'metadata' in object ? object.metadata : {};
  return { kind: 'PartialObjectMetadata', apiVersion: `meta.k8s.io/${version}`, metadata };
}

/** The columns as the client sees them. */
export function columnDefinitions(columns: readonly Column[]): readonly unknown[] {
  return columns.map(({ name, type, format = '', description, priority = 0 }) => ({
    name,
    type,
    format,
    description,
    priority,
  }));
}

/** One row of a Table. */
export function tableRow(
  object: KubeObject,
  columns: readonly Column[],
  shape: { readonly include: IncludeObject; readonly version: string; readonly now: number },
): unknown {
  const cells = columns.map(({ cell }) => cell(object, shape.now) ?? null);
  if (shape.include === 'None') return { cells, object: null };
  const carried = shape.include === 'Object' ? object : partialMetadata(object, shape.version);
  return { cells, object: carried };
}

/** A Table (meta.k8s.io): what kubectl prints without knowing the kind. */
export function table(
  rows: readonly unknown[],
  columns: readonly unknown[] | null,
  head: { readonly version: string; readonly metadata: unknown },
): unknown {
  return {
    kind: 'Table',
    apiVersion: `meta.k8s.io/${head.version}`,
    metadata: head.metadata,
    columnDefinitions: columns,
    rows,
  };
}
