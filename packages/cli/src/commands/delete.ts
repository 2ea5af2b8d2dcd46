import type { FunctionObject } from '@fnlet/api';
import { hasCode, sleep } from '@fnlet/base';
import type { ObjectKey } from '@fnlet/machinery';
import type { CliContext } from '../cli-context.ts';
import { CliError } from '../cli-error.ts';
import { type Connection, connect } from '../connection.ts';
import { exitCodes } from '../exit-codes.ts';
import type { DeleteFlags } from '../flags.ts';
import { waitMs } from '../limits.ts';
import { formatObjects } from '../output.ts';

/** `fnlet delete`: deletes Functions and waits until they and their Instances are gone. */
export async function deleteFunctions(
  options: DeleteFlags & { readonly names: readonly string[] },
  context: CliContext,
): Promise<void> {
  await using connection = await connect(options, context);
  const deleted: FunctionObject[] = [];
  try {
    for (const name of options.names) {
      const object = await deleteFunction(connection, { ...options, name }, context);
      if (object === undefined) continue;
      deleted.push(object);
      context.stderr.write(`function/${name} deleted\n`);
    }
  } finally {
    // What is gone is gone, also when a later name fails.
    const { output = 'table' } = options;
    const [only] = deleted;
    if (output !== 'table') {
      const objects = options.names.length === 1 && only !== undefined ? only : deleted;
      context.stdout.write(await formatObjects(output, objects));
    }
  }
}

/** Returns the Function as it was, or `undefined` if there was none and none is fine. */
async function deleteFunction(
  connection: Connection,
  options: DeleteFlags & { readonly name: string },
  context: CliContext,
): Promise<FunctionObject | undefined> {
  const { namespace, functions } = connection;
  const { signal } = context;
  const key = { namespace, name: options.name };
  try {
    const object = await functions.get(key, { signal });
    await functions.delete(key, { propagation: 'Background', signal });
    if (options.wait) await waitUntilGone(connection, key, context);
    return object;
  } catch (error) {
    if (hasCode(error, 'NotFound') && options.ignoreNotFound === true) return undefined;
    throw error;
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
