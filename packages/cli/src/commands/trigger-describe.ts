import type { CliContext, GlobalOptions } from '../cli-context.ts';
import { connect } from '../connection.ts';
import { formatObjects } from '../output.ts';
import { formatTriggerDescription } from '../trigger-description.ts';

/** `fnlet trigger describe`: a Trigger with its Events. */
export async function describeTrigger(
  options: GlobalOptions & { readonly name: string },
  context: CliContext,
): Promise<void> {
  await using connection = await connect(options, context);
  const { namespace } = connection;
  const { signal, stdout, clock } = context;
  const trigger = await connection.triggers.get({ namespace, name: options.name }, { signal });
  if (options.output !== undefined && options.output !== 'table') {
    stdout.write(await formatObjects(options.output, trigger));
    return;
  }
  // By uid: an earlier Trigger of the same name had Events of its own.
  const fieldSelector = `involvedObject.kind=Trigger,involvedObject.uid=${trigger.metadata.uid}`;
  const { items: events } = await connection.events.list({ namespace, fieldSelector, signal });
  stdout.write(formatTriggerDescription({ trigger, events, nowMs: clock.now() }));
}
