import type { CronJobTriggerObject } from '@fnlet/api/kubeless';
import type { CliContext, DocumentFormat } from '../cli-context.ts';
import { formatObjects } from '../output.ts';
import { formatTable } from '../text-table.ts';
import { connectKubeless, type KubelessFlags } from './kubeless-connection.ts';
import { planCronTrigger } from './plan-cron-trigger.ts';
import { planSpecPatch } from './plan-spec-patch.ts';
import { readCode } from './read-code.ts';

export interface CronTriggerFlags extends KubelessFlags {
  readonly function?: string;
  readonly schedule?: string;
  readonly payload?: string;
  /** A file with it. */
  readonly payloadFromFile?: string;
  readonly dryrun?: boolean;
  readonly output: DocumentFormat;
}

/** `kubeless trigger cronjob create`. */
export async function createCronTrigger(
  name: string,
  flags: CronTriggerFlags & { readonly function: string; readonly schedule: string },
  context: CliContext,
): Promise<void> {
  await using kubeless = await connectKubeless(flags, context);
  const { namespace, functions, triggers } = kubeless;
  const { signal, stdout, stderr } = context;
  const payload = await readPayload(flags, context);
  const trigger = planCronTrigger({ name, namespace }, { ...flags, ...payload });
  if (flags.dryrun === true) {
    stdout.write(await formatObjects(flags.output, trigger));
    return;
  }
  await functions.get({ namespace, name: flags.function }, { signal });
  await triggers.create(trigger, { signal });
  stderr.write(`Cronjob trigger ${name} created in namespace ${namespace} successfully!\n`);
}

/** `kubeless trigger cronjob update`: what no flag names stays as it is. */
export async function updateCronTrigger(
  name: string,
  flags: CronTriggerFlags,
  context: CliContext,
): Promise<void> {
  await using kubeless = await connectKubeless(flags, context);
  const { namespace, functions, triggers } = kubeless;
  const { signal, stdout, stderr } = context;
  const key = { namespace, name };
  const before = await triggers.get(key, { signal });
  const wish = {
    function: flags.function ?? before.spec['function-name'],
    schedule: flags.schedule ?? before.spec.schedule,
    ...(await readPayload(flags, context)),
  };
  const { spec } = planCronTrigger(key, wish);
  const after = { ...before, spec: { ...before.spec, ...spec } };
  if (flags.dryrun === true) {
    stdout.write(await formatObjects(flags.output, after));
    return;
  }
  await functions.get({ namespace, name: wish.function }, { signal });
  const patch = planSpecPatch(before, after.spec);
  await triggers.patch(key, { type: 'json', patch }, { signal });
  stderr.write(`Cronjob trigger ${name} updated in namespace ${namespace} successfully!\n`);
}

/** `kubeless trigger cronjob delete`. */
export async function deleteCronTrigger(
  name: string,
  flags: KubelessFlags,
  context: CliContext,
): Promise<void> {
  await using kubeless = await connectKubeless(flags, context);
  const { namespace, triggers } = kubeless;
  await triggers.delete({ namespace, name }, { signal: context.signal });
  context.stderr.write(
    `Cronjob trigger ${name} deleted from namespace ${namespace} successfully!\n`,
  );
}

/** `kubeless trigger cronjob list`. */
export async function listCronTriggers(flags: KubelessFlags, context: CliContext): Promise<void> {
  await using kubeless = await connectKubeless(flags, context);
  const { namespace, triggers } = kubeless;
  const listed = triggers.listAll({ namespace, signal: context.signal });
  context.stdout.write(formatCronTriggers(await Array.fromAsync(listed)));
}

function formatCronTriggers(triggers: readonly CronJobTriggerObject[]): string {
  const rows = triggers.map(({ metadata: { name, namespace = '' }, spec }) => [
    name,
    namespace,
    spec.schedule,
    spec['function-name'],
  ]);
  return formatTable(['NAME', 'NAMESPACE', 'SCHEDULE', 'FUNCTION NAME'], rows);
}

async function readPayload(
  { payload, payloadFromFile }: CronTriggerFlags,
  context: CliContext,
): Promise<{ readonly payload?: string }> {
  if (payload !== undefined) return { payload };
  if (payloadFromFile === undefined) return {};
  return { payload: Buffer.from(await readCode(payloadFromFile, context)).toString() };
}
