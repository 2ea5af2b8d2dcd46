import { functionLabel, revisionLabel } from '@fnlet/api';
import { hasCode } from '@fnlet/base';
import type { KubeObject, ResourceType } from '@fnlet/machinery';
import type { CliContext, DocumentFormat } from '../cli-context.ts';
import { type Connection, connect } from '../connection.ts';
import type { TopFlags } from '../flags.ts';
import { formatDocument } from '../output.ts';
import { restartsOf } from '../pod-log.ts';
import {
  type FunctionTop,
  formatCores,
  formatMemory,
  type PodTop,
  type PodUsage,
  readPodUsage,
  sortTop,
  sumByFunction,
} from '../pod-usage.ts';
import { formatTable } from '../text-table.ts';

const podMetricsType: ResourceType = {
  group: 'metrics.k8s.io',
  version: 'v1beta1',
  kind: 'PodMetrics',
  plural: 'pods',
  namespaced: true,
};

/** `fnlet top`: what Functions use, all their Instances together. */
export async function topFunctions(flags: TopFlags, context: CliContext): Promise<void> {
  await using connection = await connect(flags, context);
  const { allNamespaces = false, sortBy = 'name' } = flags;
  const functions = await connection.listFunctions({ allNamespaces });
  const pods = await readPods(connection, { ...flags, allNamespaces }, context);
  const rows = sortTop(sumByFunction(functions, pods), sortBy);
  if (rows.length === 0) context.stderr.write('No Functions.\n');
  await print(rows, { flags, columns: functionColumns }, context);
}

/** `fnlet top pods`: what each Instance uses. */
export async function topPods(
  flags: TopFlags & { readonly name?: string | undefined },
  context: CliContext,
): Promise<void> {
  await using connection = await connect(flags, context);
  const { namespace } = connection;
  const { allNamespaces = false, sortBy = 'name', name } = flags;
  // A name that does not exist is an error, not an empty list.
  if (name !== undefined) {
    await connection.functions.get({ namespace, name }, { signal: context.signal });
  }
  const found = await readPods(connection, { ...flags, allNamespaces, name }, context);
  if (found.length === 0) context.stderr.write('No Instances are awake.\n');
  await print(sortTop(found, sortBy), { flags, columns: podColumns }, context);
}

async function readPods(
  connection: Connection,
  where: { readonly allNamespaces: boolean; readonly name?: string | undefined },
  { signal, stderr }: CliContext,
): Promise<readonly PodTop[]> {
  const { pods } = connection;
  const place = where.allNamespaces ? {} : { namespace: connection.namespace };
  const labelSelector = where.name === undefined ? functionLabel : `${functionLabel}=${where.name}`;
  const found = await Array.fromAsync(pods.listAll({ ...place, labelSelector, signal }));
  if (found.length === 0) return [];
  const usages = await readUsages(connection, place, { signal, stderr });
  return found.map((pod) => {
    const { namespace = '', name, labels = {} } = pod.metadata;
    return {
      ...{ namespace, name, restarts: restartsOf(pod) },
      function: labels[functionLabel] ?? '',
      revision: labels[revisionLabel] ?? '',
      usage: usages.get(`${namespace}/${name}`),
    };
  });
}

/** By namespace and name; none where nobody measures. */
async function readUsages(
  { client }: Connection,
  place: { readonly namespace?: string },
  { signal, stderr }: Pick<CliContext, 'signal' | 'stderr'>,
): Promise<ReadonlyMap<string, PodUsage>> {
  const usages = new Map<string, PodUsage>();
  try {
    const metrics = client.of<KubeObject & { readonly containers?: unknown }>(podMetricsType);
    const { items } = await metrics.list({ ...place, labelSelector: functionLabel, signal });
    for (const item of items) {
      const { namespace = '', name } = item.metadata;
      usages.set(`${namespace}/${name}`, readPodUsage(item));
    }
  } catch (error) {
    const missing = hasCode(error, 'NotFound') || hasCode(error, 'ServiceUnavailable');
    if (!missing && !hasCode(error, 'Forbidden')) throw error;
    const why = missing
      ? 'the API serves no metrics.k8s.io: in a cluster metrics-server does'
      : 'you may not list pods.metrics.k8s.io';
    stderr.write(`What Instances use is not known: ${why}\n`);
  }
  return usages;
}

type Columns<T> = readonly (readonly [head: string, cell: (row: T) => string])[];

const functionColumns: Columns<FunctionTop> = [
  ['NAME', ({ name }) => name],
  ['INSTANCES', ({ instances }) => String(instances)],
  ['CPU(cores)', ({ usage }) => formatCores(usage)],
  ['MEMORY(bytes)', ({ usage }) => formatMemory(usage)],
];

const podColumns: Columns<PodTop> = [
  ['NAME', ({ name }) => name],
  ['FUNCTION', (row) => row.function],
  ['REVISION', ({ revision }) => revision],
  ['CPU(cores)', ({ usage }) => formatCores(usage)],
  ['MEMORY(bytes)', ({ usage }) => formatMemory(usage)],
  ['RESTARTS', ({ restarts }) => String(restarts)],
];

async function print<T extends { readonly namespace: string }>(
  rows: readonly T[],
  { flags, columns }: { readonly flags: TopFlags; readonly columns: Columns<T> },
  { stdout }: CliContext,
): Promise<void> {
  const { output = 'table', allNamespaces } = flags;
  if (isDocument(output)) {
    stdout.write(await formatDocument(output, { items: rows }));
    return;
  }
  if (rows.length === 0) return;
  const place: Columns<T> = [['NAMESPACE', ({ namespace }) => namespace]];
  const shown = allNamespaces === true ? [...place, ...columns] : columns;
  const heads = shown.map(([head]) => head);
  stdout.write(
    formatTable(
      heads,
      rows.map((row) => shown.map(([, cell]) => cell(row))),
    ),
  );
}

function isDocument(output: string): output is DocumentFormat {
  return output === 'json' || output === 'yaml';
}
