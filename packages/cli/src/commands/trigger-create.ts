import { triggerType } from '@fnlet/api';
import { createClient } from '@fnlet/client';
import type { KubeObject } from '@fnlet/machinery';
import type { CliContext, GlobalOptions } from '../cli-context.ts';
import { connect } from '../connection.ts';
import { formatObjects } from '../output.ts';
import { planTrigger, type TriggerFlags } from '../plan-trigger.ts';
import { requireSchedule } from '../require-schedule.ts';

export interface TriggerCreateFlags extends GlobalOptions, TriggerFlags {
  readonly dryRun?: boolean;
}

/** `fnlet trigger create`: a Trigger of what the flags say, or with `--dry-run` its manifest. */
export async function createTrigger(
  { kind, name }: { readonly kind: string; readonly name: string },
  options: TriggerCreateFlags,
  context: CliContext,
): Promise<void> {
  const { namespace, output, dryRun } = options;
  const { stdout, signal } = context;
  if (kind === 'cron') requireSchedule(options);
  const manifest = {
    apiVersion: 'fnlet.dev/v1alpha1',
    kind: 'Trigger',
    metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
    spec: planTrigger(kind, options),
  };
  if (dryRun === true) {
    const format = output === undefined || output === 'table' ? 'yaml' : output;
    stdout.write(await formatObjects(format, manifest));
    return;
  }
  await using connection = await connect(options, context);
  const triggers = createClient(connection.transport, { fieldManager: 'fnlet' }).of<KubeObject>(
    triggerType,
  );
  const metadata = { name, namespace: connection.namespace };
  const created = await triggers.create({ ...manifest, metadata }, { signal });
  if (output === undefined || output === 'table') stdout.write(`trigger/${name} created\n`);
  else stdout.write(await formatObjects(output, created));
}
