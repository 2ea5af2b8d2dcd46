import { functionType } from '@fnlet/api';
import { hasCode } from '@fnlet/base';
import type { KubeObject } from '@fnlet/machinery';
import { clusterNames } from '@fnlet/server/cluster/names';
import { fnletVersion } from '@fnlet/server/version';
import type { CliContext, DocumentFormat } from '../cli-context.ts';
import { CliError } from '../cli-error.ts';
import { exitCodes } from '../exit-codes.ts';
import {
  type ClusterConnection,
  clusterTypes,
  connectToCluster,
} from '../install/cluster-connection.ts';
import { type DeploymentProgress, readProgress } from '../install/deployment-rollout.ts';
import { readRecords } from '../install/installation-record.ts';
import { formatDocument } from '../output.ts';
import { formatTable } from '../text-table.ts';

export interface InstallationFlags {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly namespace: string;
  readonly output?: DocumentFormat;
}

/** What `fnlet status` prints. */
export interface InstallationStatus {
  readonly namespace: string;
  /** Of this command. */
  readonly commandVersion: string;
  /** `undefined`: Helm, kustomize or somebody else installed it. */
  readonly version: string | undefined;
  readonly parts: readonly DeploymentProgress[];
  /** Replica of the controller that leads. */
  readonly leader: string | undefined;
  readonly functions: number | undefined;
  readonly ready: boolean;
}

interface LeaseObject extends KubeObject {
  readonly spec?: { readonly holderIdentity?: string };
}

/**
 * `fnlet status`: what of an installation runs.
 *
 * @throws CliError `notFound` without an installation, `notReady` when a part does not run
 */
export async function printStatus(flags: InstallationFlags, context: CliContext): Promise<void> {
  await using connection = await connectToCluster(flags, context);
  const status = await readStatus(connection, flags.namespace);
  if (status.parts.length === 0) {
    const text = `Cannot find Fnlet: found nothing of it in the namespace "${flags.namespace}"`;
    throw new CliError(exitCodes.notFound, text, { remedy: 'fnlet install brings it' });
  }
  context.stdout.write(
    flags.output === undefined ? formatStatus(status) : await formatDocument(flags.output, status),
  );
  if (status.ready) return;
  throw new CliError(exitCodes.notReady, 'Fnlet does not run as it should', {
    remedy: 'fnlet doctor says what is missing',
  });
}

async function readStatus(
  connection: ClusterConnection,
  namespace: string,
): Promise<InstallationStatus> {
  const { client, signal } = connection;
  const [parts, records, lease, functions] = await Promise.all([
    readProgress(connection, namespace),
    readRecords(connection),
    client
      .of<LeaseObject>(clusterTypes.lease)
      .tryGet({ namespace, name: clusterNames.lease }, { signal }),
    countFunctions(connection),
  ]);
  const leader = lease?.spec?.holderIdentity || undefined;
  const version = records.find((record) => record.namespace === namespace)?.version;
  const running = parts.length > 0 && parts.every(({ done }) => done);
  const ready = running && functions !== undefined;
  return { namespace, commandVersion: fnletVersion, version, parts, leader, functions, ready };
}

/** `undefined` where the API does not know Functions. */
async function countFunctions({ client, signal }: ClusterConnection): Promise<number | undefined> {
  try {
    let count = 0;
    const functions = client.of(functionType);
    for await (const _ of functions.listAll({ signal })) count += 1;
    return count;
  } catch (error) {
    if (hasCode(error, 'NotFound')) return undefined;
    throw error;
  }
}

/** As a table, with what belongs to all parts below. */
export function formatStatus(status: InstallationStatus): string {
  const { namespace, version, commandVersion, parts, leader, functions } = status;
  const rows = parts.map(({ name, available, wanted, done }) => [
    name,
    `${available}/${wanted}`,
    done ? 'running' : 'not running as it should',
  ]);
  const lines = [
    `namespace   ${namespace}`,
    `version     ${version ?? 'not installed by fnlet install'} (this command: ${commandVersion})`,
    `leader      ${leader ?? 'none'}`,
    `functions   ${functions ?? 'their kind is not defined'}`,
  ];
  return `${formatTable(['PART', 'READY', 'STATE'], rows)}\n${lines.join('\n')}\n`;
}
