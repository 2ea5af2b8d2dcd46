import { formatTarget, type TriggerObject } from '@fnlet/api';
import { findCondition } from '@fnlet/machinery';
import type { CliContext } from '../cli-context.ts';
import { connect } from '../connection.ts';
import type { LsFlags } from '../flags.ts';
import { formatObjects } from '../output.ts';
import { formatAge, formatTable } from '../text-table.ts';

/** `fnlet trigger ls`: the Triggers of a namespace, or of all. */
export async function listTriggers(options: LsFlags, context: CliContext): Promise<void> {
  await using connection = await connect(options, context);
  const { allNamespaces = false, output = 'table' } = options;
  const { signal, stdout, stderr } = context;
  const where = allNamespaces ? {} : { namespace: connection.namespace };
  const triggers = await Array.fromAsync(connection.triggers.listAll({ ...where, signal }));
  if (output !== 'table') stdout.write(await formatObjects(output, triggers));
  else if (triggers.length === 0) stderr.write('No Triggers.\n');
  else stdout.write(formatTriggerTable(triggers, { allNamespaces, nowMs: context.clock.now() }));
}

/** One line for each Trigger. */
export function formatTriggerTable(
  triggers: readonly TriggerObject[],
  { allNamespaces, nowMs }: { readonly allNamespaces: boolean; readonly nowMs: number },
): string {
  const heads = ['NAME', 'TYPE', 'TARGET', 'READY', 'REASON', 'WAITING', 'DEAD', 'LAST'];
  const rows = triggers.map(({ metadata, spec, status = {} }) => {
    const { conditions, lag = 0, deadLetters = 0, lastEventTime } = status;
    const ready = findCondition(conditions, 'Ready');
    const lastMs = Date.parse(lastEventTime ?? '');
    return [
      ...(allNamespaces ? [metadata.namespace ?? ''] : []),
      metadata.name,
      Object.keys(spec.source).join(),
      formatTarget(spec.target),
      ready?.status ?? 'Unknown',
      ready?.reason ?? '',
      String(lag),
      String(deadLetters),
      Number.isNaN(lastMs) ? '' : formatAge(lastMs, nowMs),
    ];
  });
  return formatTable(allNamespaces ? ['NAMESPACE', ...heads] : heads, rows);
}
