import type { HttpTriggerObject } from '@fnlet/api/kubeless';
import { translateHttpTrigger } from '@fnlet/functions/kubeless';
import type { CliContext, DocumentFormat } from '../cli-context.ts';
import { CliError } from '../cli-error.ts';
import { exitCodes } from '../exit-codes.ts';
import { formatObjects } from '../output.ts';
import { formatTable } from '../text-table.ts';
import { connectKubeless, type KubelessFlags } from './kubeless-connection.ts';
import {
  type HttpTriggerFlags,
  planHttpTrigger,
  planHttpTriggerUpdate,
} from './plan-http-trigger.ts';
import { planSpecPatch } from './plan-spec-patch.ts';

export interface HttpTriggerCommandFlags extends KubelessFlags, HttpTriggerFlags {
  readonly dryrun?: boolean;
  readonly output: DocumentFormat;
}

/** `kubeless trigger http create`. */
export async function createHttpTrigger(
  name: string,
  flags: HttpTriggerCommandFlags & { readonly functionName: string },
  context: CliContext,
): Promise<void> {
  await using kubeless = await connectKubeless(flags, context);
  const { namespace, functions, httpTriggers, connection } = kubeless;
  const { signal, stdout, stderr } = context;
  const trigger = planHttpTrigger({ name, namespace }, flags, connection.apiHost);
  tellTranslation(trigger, context);
  if (flags.dryrun === true) {
    stdout.write(await formatObjects(flags.output, trigger));
    return;
  }
  await functions.get({ namespace, name: flags.functionName }, { signal });
  await httpTriggers.create(trigger, { signal });
  stderr.write(`HTTP trigger ${name} created in namespace ${namespace} successfully!\n`);
}

/** `kubeless trigger http update`: what no flag names stays as it is. */
export async function updateHttpTrigger(
  name: string,
  flags: HttpTriggerCommandFlags,
  context: CliContext,
): Promise<void> {
  await using kubeless = await connectKubeless(flags, context);
  const { namespace, functions, httpTriggers } = kubeless;
  const { signal, stdout, stderr } = context;
  const key = { namespace, name };
  const before = await httpTriggers.get(key, { signal });
  const after = planHttpTriggerUpdate(before, flags);
  tellTranslation(after, context);
  if (flags.dryrun === true) {
    stdout.write(await formatObjects(flags.output, after));
    return;
  }
  await functions.get({ namespace, name: after.spec['function-name'] }, { signal });
  const patch = planSpecPatch(before, after.spec);
  await httpTriggers.patch(key, { type: 'json', patch }, { signal });
  stderr.write(`HTTP trigger ${name} updated in namespace ${namespace} successfully!\n`);
}

/** `kubeless trigger http delete`. */
export async function deleteHttpTrigger(
  name: string,
  flags: KubelessFlags,
  context: CliContext,
): Promise<void> {
  await using kubeless = await connectKubeless(flags, context);
  const { namespace, httpTriggers } = kubeless;
  await httpTriggers.delete({ namespace, name }, { signal: context.signal });
  context.stderr.write(`HTTP trigger ${name} deleted from namespace ${namespace} successfully!\n`);
}

/** `kubeless trigger http list`. */
export async function listHttpTriggers(flags: KubelessFlags, context: CliContext): Promise<void> {
  await using kubeless = await connectKubeless(flags, context);
  const { namespace, httpTriggers } = kubeless;
  const listed = await Array.fromAsync(httpTriggers.listAll({ namespace, signal: context.signal }));
  const rows = listed.map(({ metadata, spec }) => [
    metadata.name,
    metadata.namespace ?? '',
    spec['function-name'],
  ]);
  context.stdout.write(formatTable(['NAME', 'NAMESPACE', 'FUNCTION NAME'], rows));
}

/** What has no effect, or cannot be, is said before anything is written. */
function tellTranslation(trigger: HttpTriggerObject, { stderr }: CliContext): void {
  const translation = translateHttpTrigger(trigger);
  if (translation.kind === 'refused') {
    const reasons = translation.reasons.join('; ');
    throw new CliError(exitCodes.failed, `Cannot use the HTTP trigger: ${reasons}`);
  }
  for (const notice of translation.notices) stderr.write(`${notice}\n`);
}
