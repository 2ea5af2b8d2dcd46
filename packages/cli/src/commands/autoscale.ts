import type { CliContext } from '../cli-context.ts';
import { CliError } from '../cli-error.ts';
import { connect } from '../connection.ts';
import { exitCodes } from '../exit-codes.ts';
import type { AutoscaleFlags } from '../flags.ts';
import { formatObjects } from '../output.ts';
import { planScalePatch } from '../plan-scale-patch.ts';

/** `fnlet autoscale`: changes `spec.scale` of a Function, which takes effect at once. */
export async function autoscale(
  options: AutoscaleFlags & { readonly name: string },
  context: CliContext,
): Promise<void> {
  const { name, output } = options;
  const patch = planScalePatch(options);
  if (patch === undefined) {
    throw new CliError(
      exitCodes.usage,
      `Cannot scale Function "${name}": found no flag, expected --min, --max, --metric or another`,
      { remedy: `What it says now: fnlet describe ${name}` },
    );
  }
  await using connection = await connect(options, context);
  const { signal, stdout } = context;
  const key = { namespace: connection.namespace, name };
  const object = await connection.functions.patch(key, { type: 'merge', patch }, { signal });
  if (output === undefined || output === 'table') stdout.write(`function/${name} autoscaled\n`);
  else stdout.write(await formatObjects(output, object));
}
