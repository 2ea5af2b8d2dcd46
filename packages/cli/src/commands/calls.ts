import { isJsonObject, type JsonObject } from '@fnlet/base';
import { askApi } from '../ask-api.ts';
import type { CliContext, DocumentFormat, GlobalOptions } from '../cli-context.ts';
import { connect } from '../connection.ts';
import { formatDocument } from '../output.ts';
import { formatAge, formatTable } from '../text-table.ts';

export interface CallsFlags extends GlobalOptions {
  readonly output?: DocumentFormat;
}

export interface CallsListFlags extends GlobalOptions {
  readonly output?: DocumentFormat | 'table';
  readonly allNamespaces?: boolean;
  readonly state?: string;
  readonly limit?: string;
}

export type CallAction = 'get' | 'cancel' | 'retry';

const group = '/apis/calls.fnlet.dev/v1alpha1';
const remedy = 'Which calls there are: fnlet calls ls';

/** `fnlet calls ls`: asynchronous calls, those that were accepted last first. */
export async function listCalls(
  name: string | undefined,
  flags: CallsListFlags,
  context: CliContext,
): Promise<void> {
  await using connection = await connect(flags, context);
  const { allNamespaces = false, state, limit, output = 'table' } = flags;
  const where = allNamespaces ? '' : `/namespaces/${connection.namespace}`;
  const query = { function: name, state, limit };
  const path = `${group}${where}/calls`;
  const list = await askApi(connection, { path, query, remedy, signal: context.signal });
  if (output !== 'table') {
    context.stdout.write(await formatDocument(output, list));
    return;
  }
  const calls = Array.isArray(list.items) ? list.items.filter(isJsonObject) : [];
  if (calls.length === 0) context.stderr.write('No asynchronous calls.\n');
  else context.stdout.write(formatCalls(calls, { allNamespaces, nowMs: context.clock.now() }));
}

/** `fnlet calls get`, `cancel` and `retry`: prints the call as it is then. */
export async function actOnCall(
  action: CallAction,
  flags: CallsFlags & { readonly id: string },
  context: CliContext,
): Promise<void> {
  await using connection = await connect(flags, context);
  const path = `${group}/namespaces/${connection.namespace}/calls/${encodeURIComponent(flags.id)}`;
  const request = {
    get: { path, method: 'GET' },
    cancel: { path, method: 'DELETE' },
    retry: { path: `${path}/retry`, method: 'POST' },
  } as const;
  const { signal } = context;
  const call = await askApi(connection, { ...request[action], remedy, signal });
  context.stdout.write(await formatDocument(flags.output ?? 'yaml', call));
}

/** One line for each call. */
export function formatCalls(
  calls: readonly JsonObject[],
  { allNamespaces, nowMs }: { readonly allNamespaces: boolean; readonly nowMs: number },
): string {
  const heads = ['ID', 'FUNCTION', 'STATE', 'ATTEMPTS', 'STATUS', 'AGE', 'LAST ERROR'];
  const rows = calls.map((call) => {
    const { lastError } = call;
    const error = isJsonObject(lastError) ? text(lastError.reason) : '';
    return [
      ...(allNamespaces ? [text(call.namespace)] : []),
      text(call.id),
      text(call.function),
      text(call.state),
      `${text(call.attempts)}/${text(call.attemptsMax)}`,
      text(call.status),
      formatAge(Date.parse(text(call.acceptedAt)) || nowMs, nowMs),
      error,
    ];
  });
  return formatTable(allNamespaces ? ['NAMESPACE', ...heads] : heads, rows);
}

function text(value: unknown): string {
  return value === undefined ? '' : String(value);
}
