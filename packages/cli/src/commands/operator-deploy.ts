import { parseDuration } from '@fnlet/base';
import { type Client, createClient, installCrds } from '@fnlet/client';
import { type KubeObject, parseApiVersion, type ResourceType } from '@fnlet/machinery';
import type { CliContext, DocumentFormat, GlobalOptions } from '../cli-context.ts';
import { type Connection, connect } from '../connection.ts';
import { parseEnv } from '../function-manifest.ts';
import { waitForOperator } from '../operator/deploy/operator-rollout.ts';
import { planOperatorManifests } from '../operator/deploy/plan-operator-manifests.ts';
import { type ReadOperators, readOperators } from '../operator/deploy/read-operators.ts';
import { formatManifests } from '../output.ts';
import { uploadSource } from '../upload-source.ts';

/** Flags of `fnlet operator deploy`. */
export interface OperatorDeployFlags extends Omit<GlobalOptions, 'output'> {
  readonly output?: DocumentFormat;
  readonly name?: string;
  readonly runtime?: string;
  readonly serviceAccount?: string;
  readonly env: readonly string[];
  readonly dryRun?: boolean;
  readonly wait: boolean;
  readonly waitTimeout: string;
}

/**
 * `fnlet operator deploy`: applies what the operators of a file are for a hub, and waits until it
 * runs them.
 */
export async function deployOperators(
  file: string,
  flags: OperatorDeployFlags,
  context: CliContext,
): Promise<void> {
  const timeoutMs = parseDuration(flags.waitTimeout);
  const read = await readOperators(file, context);
  await using _packed = read.packed;
  if (flags.dryRun === true) {
    const manifests = plan(read, flags, flags.namespace ?? 'default');
    context.stdout.write(await formatManifests(flags.output ?? 'yaml', manifests));
    return;
  }
  await using connection = await connect({ ...flags, output: 'table' }, context);
  const manifests = plan(read, flags, connection.namespace);
  if (read.packed !== undefined) await uploadSource(connection, read.packed, context);
  await applyManifests(connection, manifests, context);
  if (flags.output !== undefined) {
    context.stdout.write(await formatManifests(flags.output, manifests));
  }
  if (!flags.wait) return;
  const client = clientOf(connection);
  for (const { kind, metadata } of manifests) {
    if (kind !== 'Operator') continue;
    const key = { namespace: connection.namespace, name: metadata.name };
    const onStep = (step: string): void => void context.stderr.write(`  ${step}\n`);
    const startMs = context.clock.monotonicMs();
    await waitForOperator(client, { key, timeoutMs, onStep }, context);
    const tookMs = Math.round(context.clock.monotonicMs() - startMs);
    context.stderr.write(`operator/${metadata.name} ready after ${tookMs} ms\n`);
  }
}

function plan(read: ReadOperators, flags: OperatorDeployFlags, namespace: string): KubeObject[] {
  const { runtime = read.runtime, name, serviceAccount: serviceAccountName, env } = flags;
  return planOperatorManifests({
    ...read,
    ...{ namespace, runtime, name, serviceAccountName },
    env: parseEnv(env),
  });
}

function clientOf({ transport }: Connection): Client {
  return createClient(transport, { fieldManager: 'fnlet' });
}

async function applyManifests(
  connection: Connection,
  manifests: readonly KubeObject[],
  { clock, signal, stderr }: CliContext,
): Promise<void> {
  const client = clientOf(connection);
  const isDefinition = ({ kind }: KubeObject): boolean => kind === 'CustomResourceDefinition';
  const definitions = manifests.filter(isDefinition);
  // An Operator for a kind that is not served yet would have to wait for it.
  await installCrds(client, definitions, { clock, signal });
  for (const { metadata } of definitions) {
    stderr.write(`customresourcedefinition/${metadata.name} applied\n`);
  }
  for (const object of manifests.filter((one) => !isDefinition(one))) {
    const { kind, metadata } = object;
    const objects = client.of<KubeObject>(typeOf(object));
    const { namespace = '', name } = metadata;
    const before = await objects.tryGet({ namespace, name }, { signal });
    if (before !== undefined && kind === 'Operator') await dropOtherSources(client, before, object);
    const after = await objects.apply(object, { force: true, signal });
    stderr.write(`${kind.toLowerCase()}/${name} ${describeChange(before, after)}\n`);
  }
}

// Applying leaves alone what others wrote, and a function has one source only.
async function dropOtherSources(
  client: Client,
  before: KubeObject,
  wanted: KubeObject,
): Promise<void> {
  const source = sourceOf(wanted);
  const others = Object.keys(sourceOf(before)).filter((kind) => !Object.hasOwn(source, kind));
  if (others.length === 0) return;
  const none = Object.fromEntries(others.map((kind) => [kind, null]));
  const patch = { spec: { reconcile: { source: { ...none, ...source } } } };
  const { namespace = '', name } = before.metadata;
  await client.of(typeOf(wanted)).patch({ namespace, name }, { type: 'merge', patch });
}

function sourceOf({ spec }: KubeObject): object {
  const reconcile: unknown = Reflect.get(Object(spec), 'reconcile');
  return Object(Reflect.get(Object(reconcile), 'source'));
}

function describeChange(before: KubeObject | undefined, after: KubeObject): string {
  if (before === undefined) return 'created';
  const isSame = before.metadata.resourceVersion === after.metadata.resourceVersion;
  return isSame ? 'unchanged' : 'configured';
}

/** The kinds of the manifests are these few, and all are named as kinds usually are. */
function typeOf({ apiVersion, kind, metadata }: KubeObject): ResourceType {
  const { group, version } = parseApiVersion(apiVersion);
  const plural = `${kind.toLowerCase()}s`;
  return { group, version, kind, plural, namespaced: metadata.namespace !== undefined };
}
