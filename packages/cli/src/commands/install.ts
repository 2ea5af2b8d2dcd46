import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { errorMessage, parseDuration } from '@fnlet/base';
import type { KubeObject } from '@fnlet/machinery';
import type { CliContext, DocumentFormat } from '../cli-context.ts';
import { CliError } from '../cli-error.ts';
import { exitCodes } from '../exit-codes.ts';
import { warnOfAggregation } from '../install/aggregation.ts';
import { applyObjects, pruneObjects } from '../install/apply-objects.ts';
import { checkTexts } from '../install/check-texts.ts';
import { type ClusterConnection, connectToCluster } from '../install/cluster-connection.ts';
import { waitForDeployments } from '../install/deployment-rollout.ts';
import {
  defaultValues,
  type InstallValues,
  parseInstallValues,
} from '../install/install-settings.ts';
import { planRecord, readRecordedValues, readRecords } from '../install/installation-record.ts';
import { checkMetricsOwners } from '../install/metrics-owner.ts';
import { applyNatsSecret } from '../install/nats-secret.ts';
import { bundlePrefix, planBundle } from '../install/plan-bundle.ts';
import { planInstall } from '../install/plan-install.ts';
import { raiseReplicas } from '../install/raise-replicas.ts';
import { readBundleFiles } from '../install/read-bundle-files.ts';
import { removeRoutes } from '../install/remove-routes.ts';
import { formatManifests } from '../output.ts';

export interface InstallFlags {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly namespace: string;
  readonly output?: DocumentFormat;
  readonly values?: string;
  readonly image?: string;
  readonly registry?: string;
  readonly bundle?: boolean;
  readonly withNats?: boolean;
  readonly dryRun?: boolean;
  readonly wait: boolean;
  readonly waitTimeout: string;
}

/** `fnlet install`: applies an installation, and waits until it runs. */
export async function install(flags: InstallFlags, context: CliContext): Promise<void> {
  const values = await readValues(flags, defaultValues, context);
  const objects = await planObjects(flags.namespace, values);
  if (flags.dryRun === true) {
    context.stdout.write(await formatManifests(flags.output ?? 'yaml', objects));
    return;
  }
  await using connection = await connectToCluster(flags, context);
  const other = (await readRecords(connection)).find(
    (known) => known.namespace !== flags.namespace,
  );
  if (other !== undefined) {
    const found = `found one in the namespace "${other.namespace}"`;
    const message = `Cannot install Fnlet into "${flags.namespace}": ${found}, expected none`;
    const remedy = `Upgrade that one: fnlet upgrade -n ${other.namespace}`;
    throw new CliError(exitCodes.failed, message, { remedy });
  }
  await bring(connection, { flags, values, objects }, context);
}

/** `fnlet upgrade`: this release in place of the one that is there, with its values. */
export async function upgrade(flags: InstallFlags, context: CliContext): Promise<void> {
  await using connection = await connectToCluster(flags, context);
  const records = await readRecords(connection);
  const record = records.find(({ namespace }) => namespace === flags.namespace);
  if (record === undefined) {
    const places = records.map(({ namespace }) => namespace).join(', ') || 'none';
    const text = `Cannot upgrade Fnlet in "${flags.namespace}": found installations in: ${places}`;
    const remedy = 'fnlet install makes one; what Helm or kustomize installed, they upgrade';
    throw new CliError(exitCodes.notFound, text, { remedy });
  }
  const { values: before, left } = readRecordedValues(record);
  if (left.length > 0) {
    context.stderr.write(`left out, for this release has no such settings: ${left.join(', ')}\n`);
  }
  const values = await readValues(flags, before, context);
  const objects = await planObjects(flags.namespace, values);
  if (flags.dryRun === true) {
    context.stdout.write(await formatManifests(flags.output ?? 'yaml', objects));
    return;
  }
  context.stderr.write(`from ${record.version} in ${flags.namespace}\n`);
  await bring(connection, { flags, values, objects }, context);
}

interface Installation {
  readonly flags: InstallFlags;
  readonly values: InstallValues;
  readonly objects: readonly KubeObject[];
}

async function bring(
  connection: ClusterConnection,
  { flags, values, objects }: Installation,
  context: CliContext,
): Promise<void> {
  const { namespace } = flags;
  const timeoutMs = parseDuration(flags.waitTimeout);
  await checkMetricsOwners(connection, { namespace, planned: objects });
  await applyObjects(connection, objects, context);
  await raiseReplicas(connection, objects);
  // Pods that name it wait until it is there.
  await applyNatsSecret(connection, { namespace, values }, context);
  if (flags.wait) await waitForDeployments(connection, { namespace, timeoutMs }, context);
  // Pods that are still to go may start anew until then, with the program that they know.
  const isKept = ({ kind, metadata }: KubeObject): boolean =>
    isClaim(kind) || (!flags.wait && metadata.name.startsWith(bundlePrefix));
  await pruneObjects(connection, { namespace, planned: objects, isKept }, context);
  const ingress = values['ingress.className'] !== '';
  await removeRoutes(connection, { ingress, httpRoute: values['httpRoute.parentRef'] !== '' });
  if (flags.wait) await warnOfAggregation(connection, context);
  if (flags.output !== undefined) {
    context.stdout.write(await formatManifests(flags.output, objects));
    return;
  }
  const state = flags.wait ? 'runs' : 'is applied';
  context.stdout.write(`Fnlet ${state} in the namespace ${namespace}\n`);
}

// What is in a volume is not given up because a setting changed.
function isClaim(kind: string): boolean {
  return kind === 'PersistentVolumeClaim';
}

/** The objects of an installation, its program and its record included. */
async function planObjects(
  namespace: string,
  values: InstallValues,
): Promise<readonly KubeObject[]> {
  const bundle = values.image === '' ? planBundle(await readBundleFiles(), namespace) : undefined;
  const planned = planInstall({ namespace, values, bundle: bundle?.names });
  const first = planned.findIndex(({ kind }) => kind === 'Deployment' || kind === 'Service');
  return [
    ...planned.slice(0, first),
    // What Pods mount is there before them.
    ...(bundle?.objects ?? []),
    ...planned.slice(first),
    planRecord(namespace, values),
  ];
}

async function readValues(
  flags: InstallFlags,
  before: InstallValues,
  context: CliContext,
): Promise<InstallValues> {
  checkNamespace(flags.namespace);
  const given = {
    ...(flags.image === undefined ? {} : { image: flags.image }),
    ...(flags.bundle === true ? { image: '' } : {}),
    ...(flags.registry === undefined ? {} : { registry: flags.registry }),
    ...(flags.withNats === true ? { nats: { enabled: true } } : {}),
  };
  const file = flags.values === undefined ? undefined : await readFileOf(flags.values, context);
  const values = parseInstallValues(given, parseInstallValues(file, before));
  checkTexts(values);
  return values;
}

async function readFileOf(name: string, { workingDirectory }: CliContext): Promise<unknown> {
  const { parse } = await import('yaml');
  try {
    return parse(await readFile(resolve(workingDirectory, name), 'utf8'));
  } catch (cause) {
    const text = `Cannot read "${name}": ${errorMessage(cause)}`;
    throw new CliError(exitCodes.usage, text, { cause });
  }
}

function checkNamespace(namespace: string): void {
  if (/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(namespace) && !isForOthers(namespace)) return;
  const text = `Cannot install Fnlet into "${namespace}"`;
  throw new CliError(exitCodes.usage, `${text}: expected a namespace of its own`);
}

// The installation labels its namespace, and what runs there is held to the strictest profile.
function isForOthers(namespace: string): boolean {
  return namespace === 'default' || namespace.startsWith('kube-');
}
