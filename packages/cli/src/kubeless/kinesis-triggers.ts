import { type KinesisTriggerObject, kinesisTriggerType } from '@fnlet/api/kubeless';
import { translateKinesisTrigger } from '@fnlet/functions/kubeless';
import type { CliContext, DocumentFormat } from '../cli-context.ts';
import { CliError } from '../cli-error.ts';
import { exitCodes } from '../exit-codes.ts';
import { formatObjects } from '../output.ts';
import { formatTable } from '../text-table.ts';
import { connectKubeless, type KubelessFlags } from './kubeless-connection.ts';
import {
  type KinesisTriggerFlags,
  type NewKinesisTrigger,
  planKinesisTrigger,
  planKinesisTriggerUpdate,
} from './plan-kinesis-trigger.ts';
import { planSpecPatch } from './plan-spec-patch.ts';

export interface KinesisTriggerCommandFlags extends KubelessFlags, KinesisTriggerFlags {
  readonly dryrun?: boolean;
  readonly output: DocumentFormat;
}

/** `kubeless trigger kinesis create`. */
export async function createKinesisTrigger(
  name: string,
  flags: KinesisTriggerCommandFlags & NewKinesisTrigger,
  context: CliContext,
): Promise<void> {
  await using kubeless = await connectKubeless(flags, context);
  const { namespace, functions, client } = kubeless;
  const { signal, stdout, stderr } = context;
  await functions.get({ namespace, name: flags.functionName }, { signal });
  const trigger = planKinesisTrigger({ name, namespace }, flags);
  requireTranslation(trigger);
  if (flags.dryrun === true) {
    stdout.write(await formatObjects(flags.output, trigger));
    return;
  }
  await client.of<KinesisTriggerObject>(kinesisTriggerType).create(trigger, { signal });
  stderr.write(`Kinesis trigger ${name} created in namespace ${namespace} successfully!\n`);
}

/** `kubeless trigger kinesis update`: what no flag names stays as it is. */
export async function updateKinesisTrigger(
  name: string,
  flags: KinesisTriggerCommandFlags,
  context: CliContext,
): Promise<void> {
  await using kubeless = await connectKubeless(flags, context);
  const { namespace, functions, client } = kubeless;
  const { signal, stdout, stderr } = context;
  const triggers = client.of<KinesisTriggerObject>(kinesisTriggerType);
  const key = { namespace, name };
  const before = await triggers.get(key, { signal });
  const after = planKinesisTriggerUpdate(before, flags);
  requireTranslation(after);
  if (flags.dryrun === true) {
    stdout.write(await formatObjects(flags.output, after));
    return;
  }
  await functions.get({ namespace, name: after.spec['function-name'] }, { signal });
  const patch = planSpecPatch(before, after.spec);
  await triggers.patch(key, { type: 'json', patch }, { signal });
  stderr.write(`Kinesis trigger ${name} updated in namespace ${namespace} successfully!\n`);
}

/** `kubeless trigger kinesis delete`. */
export async function deleteKinesisTrigger(
  name: string,
  flags: KubelessFlags,
  context: CliContext,
): Promise<void> {
  await using kubeless = await connectKubeless(flags, context);
  const { namespace, client } = kubeless;
  await client.of(kinesisTriggerType).delete({ namespace, name }, { signal: context.signal });
  const where = `from namespace ${namespace}`;
  context.stderr.write(`Kinesis trigger ${name} deleted ${where} successfully!\n`);
}

/** `kubeless trigger kinesis list`. */
export async function listKinesisTriggers(
  flags: KubelessFlags,
  context: CliContext,
): Promise<void> {
  await using kubeless = await connectKubeless(flags, context);
  const { namespace, client } = kubeless;
  const triggers = client.of<KinesisTriggerObject>(kinesisTriggerType);
  const listed = await Array.fromAsync(triggers.listAll({ namespace, signal: context.signal }));
  const rows = listed.map(({ metadata, spec }) => [
    ...[metadata.name, metadata.namespace ?? '', spec['aws-region'], spec.stream, spec.shard],
    spec['function-name'],
  ]);
  const heads = ['NAME', 'NAMESPACE', 'REGION', 'STREAM', 'SHARD', 'FUNCTION NAME'];
  context.stdout.write(formatTable(heads, rows));
}

/** What cannot be is said before anything is written. */
function requireTranslation(trigger: KinesisTriggerObject): void {
  const translation = translateKinesisTrigger(trigger);
  if (translation.kind === 'translated') return;
  const reasons = translation.reasons.join('; ');
  throw new CliError(exitCodes.failed, `Cannot use the Kinesis trigger: ${reasons}`);
}
