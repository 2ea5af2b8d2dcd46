import { hasCode, sleep } from '@fnlet/base';
import type { ObjectKey } from '@fnlet/machinery';
import type { CliContext } from '../cli-context.ts';
import { CliError } from '../cli-error.ts';
import { type Connection, connect } from '../connection.ts';
import { exitCodes } from '../exit-codes.ts';
import type { DeleteFlags } from '../flags.ts';
import { waitMs } from '../limits.ts';

/** `fnlet delete`: deletes Functions and waits until they and their Instances are gone. */
export async function deleteFunctions(
  options: DeleteFlags & { readonly names: readonly string[] },
  context: CliContext,
): Promise<void> {
  await using connection = await connect(options, context);
  const { namespace, functions } = connection;
  for (const name of options.names) {
    const key = { namespace, name };
    try {
      await functions.delete(key, { propagation: 'Background', signal: context.signal });
    } catch (error) {
      if (hasCode(error, 'NotFound') && options.ignoreNotFound === true) continue;
      throw error;
    }
    if (options.wait) await waitUntilGone(connection, key, context);
    context.stderr.write(`function/${name} deleted\n`);
  }
}

async function waitUntilGone(
  { functions, pods }: Connection,
  key: ObjectKey,
  { clock, signal }: CliContext,
): Promise<void> {
  const endMs = clock.monotonicMs() + waitMs;
  const labelSelector = `fnlet.dev/function=${key.name}`;
  while (clock.monotonicMs() < endMs) {
    const object = await functions.tryGet(key, { signal });
    const { items } = await pods.list({ namespace: key.namespace, labelSelector, signal });
    if (object === undefined && items.length === 0) return;
    if (!(await sleep(clock, 50, signal))) throw new CliError(exitCodes.failed, 'Interrupted');
  }
  throw new CliError(exitCodes.timedOut, `Function "${key.name}" is still being deleted`, {
    remedy: `What holds it: fnlet describe ${key.name}`,
  });
}
