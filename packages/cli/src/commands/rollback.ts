import { parseDuration } from '@fnlet/base';
import type { CliContext } from '../cli-context.ts';
import { connect, listRevisions } from '../connection.ts';
import type { RollbackFlags } from '../flags.ts';
import { formatObjects } from '../output.ts';
import { planRollback, type RollbackWish } from '../traffic/plan-rollback.ts';
import { showRollout } from './deploy.ts';

/**
 * `fnlet rollback`: sends the calls of a Function to an older Revision, until `--latest` takes that
 * back. It writes `spec.traffic`, where everybody sees it.
 */
export async function rollback(
  options: RollbackFlags & { readonly name: string },
  context: CliContext,
): Promise<void> {
  const { name, output = 'table' } = options;
  const timeoutMs = parseDuration(options.waitTimeout);
  await using connection = await connect(options, context);
  const key = { namespace: connection.namespace, name };
  const { signal, stdout, stderr } = context;
  const owner = await connection.functions.get(key, { signal });
  const revisions = await listRevisions(connection, owner, context);
  const { revision, traffic } = planRollback(owner, revisions, wishOf(options));
  // Of this very state: whoever changed it meanwhile may have wanted something else.
  const { resourceVersion } = owner.metadata;
  const patch = { metadata: { resourceVersion }, spec: { traffic } };
  await connection.functions.patch(key, { type: 'merge', patch }, { signal });
  const what = revision === undefined ? 'the newest Revision' : `Revision ${revision}`;
  stderr.write(`function/${name} sends its calls to ${what}\n`);
  const url = await showRollout(connection, { key, timeoutMs, revision }, context);
  if (output === 'table') stdout.write(`${url}\n`);
  else stdout.write(await formatObjects(output, await connection.functions.get(key, { signal })));
}

function wishOf({ to, latest }: RollbackFlags): RollbackWish {
  if (latest === true) return { kind: 'latest' };
  return to === undefined ? { kind: 'previous' } : { kind: 'revision', name: to };
}
