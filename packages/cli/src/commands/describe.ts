import type { CliContext, GlobalOptions } from '../cli-context.ts';
import { connect, tryListTriggers } from '../connection.ts';
import { formatDescription } from '../description.ts';
import { formatObjects } from '../output.ts';

/** `fnlet describe`: a Function with its Instances, its Events, and what to do if it is not well. */
export async function describe(
  options: GlobalOptions & { readonly name: string },
  context: CliContext,
): Promise<void> {
  await using connection = await connect(options, context);
  const { namespace } = connection;
  const { signal } = context;
  const object = await connection.functions.get({ namespace, name: options.name }, { signal });
  if (options.output !== undefined && options.output !== 'table') {
    context.stdout.write(await formatObjects(options.output, object));
    return;
  }
  const labelSelector = `fnlet.dev/function=${options.name}`;
  // By uid: an earlier Function of the same name had Events of its own.
  const fieldSelector = `involvedObject.kind=Function,involvedObject.uid=${object.metadata.uid}`;
  const [pods, events, triggers] = await Promise.all([
    connection.pods.list({ namespace, labelSelector, signal }),
    connection.events.list({ namespace, fieldSelector, signal }),
    tryListTriggers(connection, options.name, context),
  ]);
  const nowMs = context.clock.now();
  const found = { pods: pods.items, events: events.items, triggers };
  context.stdout.write(formatDescription({ function: object, ...found, nowMs }));
}
