import type { KubelessFunctionObject } from '@fnlet/api/kubeless';
import { isJsonObject, type JsonObject } from '@fnlet/base';
import type { CliContext, DocumentFormat } from '../cli-context.ts';
import { CliError } from '../cli-error.ts';
import { exitCodes } from '../exit-codes.ts';
import { formatDocument } from '../output.ts';
import { formatTable } from '../text-table.ts';
import { connectKubeless, type KubelessFlags } from './kubeless-connection.ts';
import { type AutoscaleFlags, planAutoscaler } from './plan-autoscaler.ts';

/** `kubeless autoscale create`: bounds of how many Instances a function has. */
export async function createAutoscaler(
  name: string,
  flags: AutoscaleFlags & KubelessFlags,
  context: CliContext,
): Promise<void> {
  await using kubeless = await connectKubeless(flags, context);
  const { namespace, functions } = kubeless;
  const { signal, stderr } = context;
  const key = { namespace, name };
  const autoscaler = planAutoscaler(key, flags);
  if (typeof autoscaler === 'string') {
    throw new CliError(exitCodes.usage, `Cannot scale function "${name}": ${autoscaler}`);
  }
  stderr.write('Adding autoscaling rule to the function...\n');
  const path = '/spec/horizontalPodAutoscaler';
  // In the place of one that is there: a merge would keep what only that one has.
  const patch = [{ op: 'add', path, value: autoscaler }];
  await functions.patch(key, { type: 'json', patch }, { signal });
  stderr.write(`Autoscaling rule for ${name} submitted for deployment\n`);
}

/** `kubeless autoscale delete`. */
export async function deleteAutoscaler(
  name: string,
  flags: KubelessFlags,
  context: CliContext,
): Promise<void> {
  await using kubeless = await connectKubeless(flags, context);
  const { namespace, functions } = kubeless;
  const { signal, stderr } = context;
  const key = { namespace, name };
  const { spec } = await functions.get(key, { signal });
  if (spec.horizontalPodAutoscaler === undefined) {
    throw new CliError(exitCodes.failed, `Not found an auto scale definition for function ${name}`);
  }
  stderr.write('Removing autoscaling rule from the function...\n');
  const patch = { spec: { horizontalPodAutoscaler: null } };
  await functions.patch(key, { type: 'merge', patch }, { signal });
  stderr.write(`Removed autoscaling rule from ${name}\n`);
}

/** `kubeless autoscale list`. */
export async function listAutoscalers(
  flags: KubelessFlags & { readonly output?: DocumentFormat },
  context: CliContext,
): Promise<void> {
  await using kubeless = await connectKubeless(flags, context);
  const { namespace, functions } = kubeless;
  const listed = await Array.fromAsync(functions.listAll({ namespace, signal: context.signal }));
  const found = listed.flatMap((object) => readAutoscaler(object) ?? []);
  const { output } = flags;
  if (output === undefined) {
    context.stdout.write(formatAutoscalers(found));
    return;
  }
  for (const { object } of found) context.stdout.write(await formatDocument(output, object));
}

interface Autoscaler {
  readonly name: string;
  readonly namespace: string;
  readonly object: JsonObject;
}

function readAutoscaler({ metadata, spec }: KubelessFunctionObject): Autoscaler | undefined {
  const { name, namespace = '' } = metadata;
  const { horizontalPodAutoscaler: object } = spec;
  return isJsonObject(object) ? { name, namespace, object } : undefined;
}

function formatAutoscalers(autoscalers: readonly Autoscaler[]): string {
  const rows = autoscalers.map(({ name, namespace, object }) => {
    const spec = isJsonObject(object.spec) ? object.spec : {};
    const { minReplicas = '', maxReplicas = '' } = spec;
    return [name, namespace, name, String(minReplicas), String(maxReplicas), ...metricOf(spec)];
  });
  return formatTable(['NAME', 'NAMESPACE', 'TARGET', 'MIN', 'MAX', 'METRIC', 'VALUE'], rows);
}

function metricOf({ metrics }: JsonObject): readonly string[] {
  const [metric]: unknown[] = Array.isArray(metrics) ? metrics : [];
  const { resource, object } = isJsonObject(metric) ? metric : {};
  const isCpu = isJsonObject(resource);
  const source = isCpu ? resource : object;
  const target = isJsonObject(source) && isJsonObject(source.target) ? source.target : {};
  return isCpu
    ? ['cpu', String(target.averageUtilization ?? '')]
    : ['qps', String(target.value ?? '')];
}
