import type { JsonObject } from '@fnlet/base';
import { ageOf, indentTable } from './description-tables.ts';
import { formatTable } from './text-table.ts';

/** Where the API shows what operators did. */
export function operatorsPath(namespace: string, ...rest: readonly string[]): string {
  const words = rest.map(encodeURIComponent).join('/');
  return `/apis/operators.fnlet.dev/v1alpha1/namespaces/${namespace}/${words}`;
}

/** Runs of operators under their heading, newest first, as the API lists them. */
export function formatRuns(
  runs: readonly JsonObject[],
  { nowMs, hasObject }: { readonly nowMs: number; readonly hasObject: boolean },
): string {
  if (runs.length === 0) return '\nRuns: none\n';
  const heads = ['RUN', 'OBJECT', 'OUTCOME', 'AGE', 'TOOK', 'WRITES', 'REASON'];
  const rows = runs.map(({ name, object, outcome, startedAt, tookMs, writes, reason }) => {
    const count = Array.isArray(writes) ? writes.length : 0;
    const cells = [name, formatKey(object), outcome, ageOf(String(startedAt), nowMs)];
    return [...cells, `${tookMs} ms`, count, reason].map((cell) => String(cell ?? ''));
  });
  const shown = [heads, ...rows].map((row) => row.filter((_, at) => hasObject || at !== 1));
  const [head = [], ...body] = shown;
  return `\nRuns:\n${indentTable(formatTable(head, body))}`;
}

/** `namespace/name` of what a record says of an object. */
export function formatKey(object: unknown): string {
  const { namespace, name }: { namespace?: unknown; name?: unknown } = Object(object);
  return namespace === '' || namespace === undefined ? String(name) : `${namespace}/${name}`;
}
