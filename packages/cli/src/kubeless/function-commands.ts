import { errorMessage } from '@fnlet/base';
import { resourcePath } from '@fnlet/machinery';
import type { CliContext, DocumentFormat } from '../cli-context.ts';
import { CliError } from '../cli-error.ts';
import { exitCodes } from '../exit-codes.ts';
import { metricsMs } from '../limits.ts';
import { formatDocument, formatObjects } from '../output.ts';
import { formatTable } from '../text-table.ts';
import { sumCallCounts } from './call-counts.ts';
import { formatFunctionDescription, formatFunctionTable } from './function-table.ts';
import {
  connectKubeless,
  type KubelessConnection,
  type KubelessFlags,
  type KubelessFormat,
} from './kubeless-connection.ts';
import { planCall } from './plan-call.ts';

/** `kubeless function list`: those of a namespace, or those that are named. */
export async function listFunctions(
  names: readonly string[],
  flags: KubelessFlags & { readonly output?: KubelessFormat },
  context: CliContext,
): Promise<void> {
  await using kubeless = await connectKubeless(flags, context);
  const { namespace, functions } = kubeless;
  const { signal, stdout } = context;
  const found =
    names.length === 0
      ? await Array.fromAsync(functions.listAll({ namespace, signal }))
      : await Promise.all(names.map((name) => functions.get({ namespace, name }, { signal })));
  const { output } = flags;
  if (output === undefined || output === 'wide') {
    stdout.write(formatFunctionTable(found, { wide: output === 'wide' }));
    return;
  }
  const documents = await Promise.all(found.map((object) => formatObjects(output, object)));
  stdout.write(documents.join(output === 'yaml' ? '---\n' : ''));
}

/** `kubeless function describe`. */
export async function describeFunction(
  name: string,
  flags: KubelessFlags & { readonly output?: DocumentFormat },
  context: CliContext,
): Promise<void> {
  await using kubeless = await connectKubeless(flags, context);
  const { namespace, functions } = kubeless;
  const found = await functions.get({ namespace, name }, { signal: context.signal });
  const { output } = flags;
  const text =
    output === undefined
      ? `${formatFunctionDescription(found)}\n`
      : await formatObjects(output, found);
  context.stdout.write(text);
}

/** `kubeless function delete`. */
export async function deleteFunction(
  name: string,
  flags: KubelessFlags,
  context: CliContext,
): Promise<void> {
  await using kubeless = await connectKubeless(flags, context);
  const { namespace, functions } = kubeless;
  await functions.delete({ namespace, name }, { signal: context.signal });
}

/** `kubeless function call`: through the Gateway, which wakes a function that sleeps. */
export async function callFunction(
  name: string,
  flags: KubelessFlags & { readonly data?: string },
  context: CliContext,
): Promise<void> {
  const { signal, stdout, random, clock } = context;
  const url = await functionUrl(name, flags, context);
  const request = planCall(flags.data, { random, nowMs: clock.now() });
  const answer = await fetch(url, { ...request, signal, redirect: 'manual' }).catch(
    (cause: unknown) => {
      const message = `Cannot reach function "${name}" at ${url}: ${errorMessage(cause)}`;
      throw new CliError(exitCodes.failed, message, { cause });
    },
  );
  for await (const chunk of answer.body ?? []) stdout.write(chunk);
  stdout.write('\n');
  if (answer.status === 408) throw new CliError(exitCodes.failed, 'Request timeout exceeded');
  if (answer.status >= 400) {
    throw new CliError(exitCodes.failed, `Function "${name}" answered ${answer.status}`);
  }
}

async function functionUrl(
  name: string,
  flags: KubelessFlags,
  context: CliContext,
): Promise<string> {
  await using kubeless = await connectKubeless(flags, context);
  const { namespace, functions } = kubeless;
  const { status } = await functions.get({ namespace, name }, { signal: context.signal });
  if (status?.url !== undefined) return status.url;
  throw new CliError(exitCodes.failed, `Function "${name}" has no URL yet`, {
    remedy: `What it waits for: kubeless function describe ${name}`,
  });
}

/** `kubeless function logs`: those of all its Instances. */
export async function printFunctionLogs(
  name: string,
  { namespace, follow }: KubelessFlags & { readonly follow?: boolean },
  context: CliContext,
): Promise<void> {
  const { logs } = await import('../commands/logs.ts');
  await logs(
    { name, ...(namespace === undefined ? {} : { namespace }), ...(follow && { follow }) },
    context,
  );
}

/** `kubeless function top`: what the Instances have counted, method by method. */
export async function printCallCounts(
  flags: KubelessFlags & { readonly function?: string; readonly output?: DocumentFormat },
  context: CliContext,
): Promise<void> {
  await using kubeless = await connectKubeless(flags, context);
  const { namespace, functions } = kubeless;
  const { signal, stdout } = context;
  const found =
    flags.function === undefined
      ? await Array.fromAsync(functions.listAll({ namespace, signal }))
      : [await functions.get({ namespace, name: flags.function }, { signal })];
  const counted = await Promise.all(
    found.map(async ({ metadata: { name } }) => {
      const pages = await readMetrics(kubeless, name, context);
      return describeCounts({ name, namespace }, pages);
    }),
  );
  const rows = counted.flat();
  const { output } = flags;
  if (output !== undefined) {
    stdout.write(await formatDocument(output, rows));
    return;
  }
  const cells = rows.map((row) => countColumns.map((column) => String(row[column] ?? '')));
  const heads = countColumns.map((column) => (column === 'function' ? 'NAME' : column));
  stdout.write(
    formatTable(
      heads.map((head) => head.toUpperCase()),
      cells,
    ),
  );
}

const countColumns = [
  'function',
  'namespace',
  'method',
  'total_calls',
  'total_failures',
  'total_duration_seconds',
  'avg_duration_seconds',
  'message',
] as const;

type CountRow = Readonly<Partial<Record<(typeof countColumns)[number], string | number>>>;

/** What the Instances of a function say of its calls; `undefined` for one that says nothing. */
async function readMetrics(
  { connection, namespace }: KubelessConnection,
  name: string,
  { clock, signal }: CliContext,
): Promise<readonly (string | undefined)[]> {
  const labelSelector = `created-by=kubeless,function=${name}`;
  const { items } = await connection.pods.list({ namespace, labelSelector, signal });
  const running = items.filter(({ status }) => status?.phase === 'Running');
  const late = new AbortController();
  const asked = AbortSignal.any([signal, late.signal]);
  const timer = clock.after(metricsMs, () => late.abort());
  const pages = running.map(async ({ metadata }) => {
    const pod = { namespace, name: `${metadata.name}:8080` };
    const path = `${resourcePath(connection.pods.type, { ...pod, subresource: 'proxy' })}/metrics`;
    try {
      const answer = await connection.transport.request({ method: 'GET', path, signal: asked });
      const text = Buffer.concat(await Array.fromAsync(answer.bytes())).toString();
      return answer.status === 200 ? text : undefined;
    } catch {
      signal.throwIfAborted();
      return undefined;
    }
  });
  try {
    return await Promise.all(pages);
  } finally {
    timer.cancel();
  }
}

function describeCounts(
  { name, namespace }: { readonly name: string; readonly namespace: string },
  pages: readonly (string | undefined)[],
): readonly CountRow[] {
  // One that is just ending counts no more.
  const told = pages.filter((page) => page !== undefined);
  if (pages.length > 0 && told.length === 0) {
    return [{ function: name, namespace, message: 'Function does not expose metrics' }];
  }
  return sumCallCounts(told).map(({ method, calls, failures, seconds }) => ({
    function: name,
    namespace,
    method,
    total_calls: calls,
    total_failures: failures,
    total_duration_seconds: seconds,
    avg_duration_seconds: calls === 0 ? 0 : seconds / calls,
  }));
}
