import { knownRuntime, resolveRuntime } from '@fnlet/api';
import type { CronJobTriggerObject, KubelessFunctionObject } from '@fnlet/api/kubeless';
import { translateKubeless } from '@fnlet/functions/kubeless';
import type { KubeObject } from '@fnlet/machinery';
import type { CliContext, DocumentFormat } from '../cli-context.ts';
import { CliError } from '../cli-error.ts';
import { type Connection, tryListRuntimes } from '../connection.ts';
import { exitCodes } from '../exit-codes.ts';
import { formatObjects } from '../output.ts';
import { connectKubeless, type KubelessFlags } from './kubeless-connection.ts';
import { planCode } from './plan-code.ts';
import { planCronTrigger } from './plan-cron-trigger.ts';
import {
  type FunctionFlags,
  type FunctionWish,
  planDeployment,
  planUpdate,
} from './plan-function.ts';
import { planSpecPatch } from './plan-spec-patch.ts';
import { readCode } from './read-code.ts';

export interface DeployFunctionFlags extends FunctionFlags, KubelessFlags {
  /** Path or URL of the code. */
  readonly fromFile?: string;
  /** Path or URL of the dependency file. */
  readonly dependencies?: string;
  readonly dryrun?: boolean;
  readonly output: DocumentFormat;
}

/** `kubeless function deploy`: makes a function, and with a schedule its CronJobTrigger. */
export async function deployFunction(
  name: string,
  flags: DeployFunctionFlags & { readonly schedule?: string },
  context: CliContext,
): Promise<void> {
  if (flags.runtime === undefined && flags.runtimeImage === undefined) {
    throw new CliError(exitCodes.usage, 'Either --runtime or --runtime-image must be specified');
  }
  if (flags.runtime !== undefined && flags.handler === undefined) {
    throw new CliError(exitCodes.usage, 'You must specify --handler for the runtime');
  }
  await using kubeless = await connectKubeless(flags, context);
  const { connection, functions, triggers, namespace } = kubeless;
  await assertRuntime(flags.runtime, connection, context);
  const object = planDeployment(await readWish({ name, namespace }, flags, context));
  const { schedule } = flags;
  const trigger =
    schedule === undefined
      ? undefined
      : planCronTrigger({ name, namespace }, { function: name, schedule });
  tellTranslation(object, context);
  if (flags.dryrun === true) {
    await print([object, ...(trigger === undefined ? [] : [trigger])], flags.output, context);
    return;
  }
  const { stderr, signal } = context;
  stderr.write('Deploying function...\n');
  const created = await functions.create(object, { signal });
  if (trigger !== undefined) await triggers.create(ownedBy(created, trigger), { signal });
  tellSubmitted(name, context);
}

/** `kubeless function update`: what no flag names stays as it is. */
export async function updateFunction(
  name: string,
  flags: DeployFunctionFlags,
  context: CliContext,
): Promise<void> {
  await using kubeless = await connectKubeless(flags, context);
  const { connection, functions, namespace } = kubeless;
  const { signal, stderr } = context;
  const key = { namespace, name };
  await assertRuntime(flags.runtime, connection, context);
  const before = await functions.get(key, { signal });
  const object = planUpdate(before, await readWish(key, flags, context));
  tellTranslation(object, context);
  if (flags.dryrun === true) {
    await print([object], flags.output, context);
    return;
  }
  stderr.write('Redeploying function...\n');
  const labels = { op: 'add', path: '/metadata/labels', value: object.metadata.labels };
  const patch = [...planSpecPatch(before, object.spec), labels];
  await functions.patch(key, { type: 'json', patch }, { signal });
  tellSubmitted(name, context);
}

async function readWish(
  key: { readonly namespace: string; readonly name: string },
  flags: DeployFunctionFlags,
  context: CliContext,
): Promise<FunctionWish> {
  const { fromFile, dependencies } = flags;
  const code = fromFile && planCode(fromFile, await readCode(fromFile, context));
  const deps = dependencies && Buffer.from(await readCode(dependencies, context)).toString();
  return { ...key, flags, ...(code && { code }), ...(deps && { dependencies: deps }) };
}

async function assertRuntime(
  runtime: string | undefined,
  connection: Connection,
  context: CliContext,
): Promise<void> {
  if (runtime === undefined) return;
  const added = (await tryListRuntimes(connection, context)).map(knownRuntime);
  // Who may not look leaves it to the server.
  if (added.length === 0) return;
  const resolution = resolveRuntime(runtime, { added, isHere: () => false });
  if (resolution.kind === 'found') return;
  const names = added.map(({ name }) => name).join(', ');
  const message = `Invalid runtime: ${runtime}. Supported runtimes are: ${names}`;
  throw new CliError(exitCodes.usage, message);
}

/** @throws CliError when it could not run, as its status would say */
function tellTranslation(object: KubelessFunctionObject, { stderr }: CliContext): void {
  const translation = translateKubeless(object);
  if (translation.kind === 'refused') {
    const reasons = translation.reasons.join('; ');
    const { name } = object.metadata;
    throw new CliError(exitCodes.failed, `Failed to deploy ${name}. Received:\n${reasons}`);
  }
  for (const notice of translation.notices) stderr.write(`${notice}\n`);
}

function tellSubmitted(name: string, { stderr }: CliContext): void {
  stderr.write(`Function ${name} submitted for deployment\n`);
  stderr.write(`Check the deployment status executing 'kubeless function ls ${name}'\n`);
}

/** It goes with its function. */
function ownedBy(
  { apiVersion, kind, metadata }: KubelessFunctionObject,
  trigger: CronJobTriggerObject,
): CronJobTriggerObject {
  const owner = { apiVersion, kind, name: metadata.name, uid: metadata.uid ?? '' };
  return { ...trigger, metadata: { ...trigger.metadata, ownerReferences: [owner] } };
}

async function print(
  objects: readonly KubeObject[],
  format: DocumentFormat,
  { stdout }: CliContext,
): Promise<void> {
  const documents = await Promise.all(objects.map((object) => formatObjects(format, object)));
  stdout.write(documents.join(format === 'yaml' ? '---\n' : ''));
}
