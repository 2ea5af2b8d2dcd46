import { builtinRuntimes, knownRuntime, type RuntimeObject } from '@fnlet/api';
import type { CliContext, GlobalOptions } from '../cli-context.ts';
import { connect } from '../connection.ts';
import { formatObjects } from '../output.ts';
import { formatTable } from '../text-table.ts';

/** `fnlet runtimes`: what Functions can run on, and what the machine of the API has of it. */
export async function runtimes(options: GlobalOptions, context: CliContext): Promise<void> {
  await using connection = await connect(options, context);
  const { items } = await connection.runtimes.list({ signal: context.signal });
  const { output = 'table' } = options;
  const text = output === 'table' ? formatRuntimes(items) : await formatObjects(output, items);
  context.stdout.write(text);
}

/** A line for each, with where it comes from and by which other names it is known. */
export function formatRuntimes(objects: readonly RuntimeObject[]): string {
  const rows = objects.map((object) => {
    const { name } = object.metadata;
    const { state = 'unknown', version = '', program = '' } = object.status ?? {};
    const builtin = builtinRuntimes.find((runtime) => runtime.name === name);
    const { aliases } = builtin ?? knownRuntime(object);
    return [name, state, version, program, aliases.join(',')];
  });
  return formatTable(['NAME', 'STATE', 'VERSION', 'PROGRAM', 'ALIASES'], rows);
}
