import type { CliContext, GlobalOptions } from '../cli-context.ts';
import { connect, listRevisions } from '../connection.ts';
import { formatObjects } from '../output.ts';
import { formatRevisions } from '../traffic/format-revisions.ts';

/** `fnlet revisions`: what a Function was, and what of it calls go to. */
export async function revisions(
  options: GlobalOptions & { readonly name: string },
  context: CliContext,
): Promise<void> {
  await using connection = await connect(options, context);
  const { namespace } = connection;
  const { signal, clock, stdout } = context;
  const owner = await connection.functions.get({ namespace, name: options.name }, { signal });
  const found = await listRevisions(connection, owner, context);
  const { output = 'table' } = options;
  stdout.write(
    output === 'table'
      ? formatRevisions(owner, found, clock.now())
      : await formatObjects(output, found),
  );
}
