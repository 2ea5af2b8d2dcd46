import type { FunctionObject } from '@fnlet/api';
import { hasCode } from '@fnlet/base';
import { findCondition } from '@fnlet/machinery';
import type { CliContext } from '../cli-context.ts';
import { type Connection, connect } from '../connection.ts';
import type { LsFlags } from '../flags.ts';
import { formatObjects } from '../output.ts';
import { formatAge, formatTable } from '../text-table.ts';

/** `fnlet ls`: the Functions of a namespace, or of all. */
export async function ls(options: LsFlags, context: CliContext): Promise<void> {
  await using connection = await connect(options, context);
  const allNamespaces = options.allNamespaces === true;
  const functions = await connection.listFunctions({ allNamespaces });
  const { output = 'table' } = options;
  if (output !== 'table') {
    context.stdout.write(await formatObjects(output, functions));
  } else if (functions.length === 0) {
    // An empty list says nothing about whether the namespace is there.
    if (!allNamespaces) await assertNamespace(connection, context);
    const where = allNamespaces ? 'any namespace' : `namespace ${connection.namespace}`;
    context.stderr.write(`No Functions in ${where}.\n`);
  } else {
    context.stdout.write(formatFunctions(functions, { allNamespaces, nowMs: context.clock.now() }));
  }
}

async function assertNamespace(
  { namespace, namespaces }: Connection,
  { signal }: CliContext,
): Promise<void> {
  await namespaces.get({ namespace: '', name: namespace }, { signal }).catch((error: unknown) => {
    // Who may list Functions need not be allowed to look at namespaces.
    if (!hasCode(error, 'Forbidden')) throw error;
  });
}

export function formatFunctions(
  functions: readonly FunctionObject[],
  { allNamespaces, nowMs }: { readonly allNamespaces: boolean; readonly nowMs: number },
): string {
  const heads = ['NAME', 'READY', 'REASON', 'RUNTIME', 'INSTANCES', 'URL', 'AGE'];
  const rows = functions.map(({ metadata, spec, status }) => {
    const ready = findCondition(status?.conditions, 'Ready');
    return [
      metadata.name,
      ready?.status ?? 'Unknown',
      ready?.reason ?? '',
      spec.runtime,
      String(status?.replicas ?? 0),
      status?.url ?? '',
      formatAge(Date.parse(metadata.creationTimestamp ?? '') || nowMs, nowMs),
    ];
  });
  if (!allNamespaces) return formatTable(heads, rows);
  const namespaces = functions.map(({ metadata }) => metadata.namespace ?? '');
  return formatTable(
    ['NAMESPACE', ...heads],
    rows.map((row, index) => [namespaces[index] ?? '', ...row]),
  );
}
