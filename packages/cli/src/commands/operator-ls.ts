import type { OperatorObject } from '@fnlet/api';
import { findCondition } from '@fnlet/machinery';
import type { CliContext } from '../cli-context.ts';
import { connect } from '../connection.ts';
import { ageOf } from '../description-tables.ts';
import type { LsFlags } from '../flags.ts';
import { formatObjects } from '../output.ts';
import { formatTable } from '../text-table.ts';

/** `fnlet operator ls`: the Operators of a namespace, or of all. */
export async function listOperators(options: LsFlags, context: CliContext): Promise<void> {
  await using connection = await connect(options, context);
  const { allNamespaces = false, output = 'table' } = options;
  const { signal, stdout, stderr, clock } = context;
  const where = allNamespaces ? {} : { namespace: connection.namespace };
  const operators = await Array.fromAsync(connection.operators.listAll({ ...where, signal }));
  if (output !== 'table') stdout.write(await formatObjects(output, operators));
  else if (operators.length === 0) stderr.write('No Operators.\n');
  else stdout.write(formatOperatorTable(operators, { allNamespaces, nowMs: clock.now() }));
}

/** One line for each Operator. */
export function formatOperatorTable(
  operators: readonly OperatorObject[],
  { allNamespaces, nowMs }: { readonly allNamespaces: boolean; readonly nowMs: number },
): string {
  const heads = [
    ...['NAME', 'FOR', 'READY', 'REASON', 'OBJECTS', 'SETTLED', 'FAILING', 'QUEUE', 'AWAKE'],
    'LAST RUN',
  ];
  const rows = operators.map(({ metadata, spec, status = {} }) => {
    const { conditions, objects = {}, queue, awake, lastRun } = status;
    const ready = findCondition(conditions, 'Ready');
    const counts = [objects.total, objects.settled, objects.failing, queue];
    return [
      ...(allNamespaces ? [metadata.namespace ?? ''] : []),
      ...[metadata.name, spec.for.kind, ready?.status ?? 'Unknown', ready?.reason ?? ''],
      ...counts.map((count) => String(count ?? '')),
      awake === undefined ? '' : awake ? 'yes' : 'no',
      ageOf(lastRun, nowMs),
    ];
  });
  return formatTable(allNamespaces ? ['NAMESPACE', ...heads] : heads, rows);
}
