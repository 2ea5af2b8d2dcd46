/**
 * What Operators leave when Fnlet goes: finalizers, on themselves and on objects of users.
 *
 * I1. Whoever can still clean up does so before anything of Fnlet is removed.
 * I2. No object waits for ever for an operator that is gone for good.
 */
import {
  type OperatorObject,
  objectFinalizerOf,
  operatorFinalizer,
  operatorType,
} from '@fnlet/api';
import { hasCode, sleep } from '@fnlet/base';
import { formatObjectKey, type KubeObject, objectKey, type ResourceType } from '@fnlet/machinery';
import { createFinalizer } from '@fnlet/reconcile';
import { clusterNames } from '@fnlet/server/cluster/names';
import type { CliContext } from '../cli-context.ts';
import { installPollMs, operatorsWaitMs } from '../limits.ts';
import { type ClusterConnection, discoverKinds } from './cluster-connection.ts';
import { readProgress } from './deployment-rollout.ts';

/** Says which objects of users are not deleted before Fnlet is there again. */
export async function tellHeldObjects(
  connection: ClusterConnection,
  { stderr }: CliContext,
): Promise<void> {
  for (const operator of await listOperators(connection)) {
    const held = await findHeld(connection, operator);
    if (held === undefined || held.objects.length === 0) continue;
    const what = `${held.type.plural} that operator ${nameOf(operator)} looks after`;
    stderr.write(`  ${what} stay, when they are deleted, until Fnlet is there again\n`);
  }
}

/**
 * Deletes all Operators while their controller runs, which cleans up after them, and lets go of
 * what it did not.
 */
export async function removeOperators(
  connection: ClusterConnection,
  namespace: string,
  context: CliContext,
): Promise<void> {
  const { client, signal } = connection;
  for (const { metadata } of await listOperators(connection)) {
    const key = { namespace: metadata.namespace ?? '', name: metadata.name };
    await client
      .of(operatorType)
      .delete(key, { signal, propagation: 'Background' })
      .catch(ignoreGone);
  }
  const progress = await readProgress(connection, namespace);
  const controller = progress.find(({ name }) => name === clusterNames.controller);
  if ((controller?.available ?? 0) > 0) await awaitCleanup(connection, context);
  for (const operator of await listOperators(connection)) {
    await letGo(connection, operator, context);
  }
}

async function listOperators({
  client,
  signal,
}: ClusterConnection): Promise<readonly OperatorObject[]> {
  const all: OperatorObject[] = [];
  try {
    for await (const one of client.of<OperatorObject>(operatorType).listAll({ signal })) {
      all.push(one);
    }
  } catch (error) {
    // Without their definition there are none.
    ignoreGone(error);
  }
  return all;
}

async function awaitCleanup(connection: ClusterConnection, context: CliContext): Promise<void> {
  const { clock, stderr } = context;
  const endMs = clock.monotonicMs() + operatorsWaitMs;
  for (let isTold = false; clock.monotonicMs() < endMs; isTold = true) {
    const left = await listOperators(connection);
    if (left.length === 0) return;
    const names = left.map(nameOf).join(', ');
    if (!isTold) stderr.write(`  waiting for operators to clean up: ${names}\n`);
    if (!(await sleep(clock, installPollMs, connection.signal))) return;
  }
}

/** I2 */
async function letGo(
  connection: ClusterConnection,
  operator: OperatorObject,
  { stderr }: CliContext,
): Promise<void> {
  const { client, signal } = connection;
  const held = await findHeld(connection, operator);
  if (held !== undefined && held.objects.length > 0) {
    const objects = client.of<KubeObject>(held.type);
    const finalizer = createFinalizer({ client: objects, name: objectFinalizerOf(operator) });
    for (const object of held.objects) await finalizer.remove(object, signal);
    const what = `${held.objects.length} of its ${held.type.plural}`;
    stderr.write(`  operator ${nameOf(operator)} let go of ${what}: nobody cleans up after them\n`);
  }
  const operators = client.of<OperatorObject>(operatorType);
  await createFinalizer({ client: operators, name: operatorFinalizer }).remove(operator, signal);
}

interface Held {
  readonly type: ResourceType;
  readonly objects: readonly KubeObject[];
}

/** What has the finalizer of an Operator; `undefined`: its kind is gone, and all objects with it. */
async function findHeld(
  connection: ClusterConnection,
  operator: OperatorObject,
): Promise<Held | undefined> {
  const { client, signal } = connection;
  const { apiVersion, kind } = operator.spec.for;
  const type = (await discoverKinds(connection)).ofKind(apiVersion, kind)?.type;
  if (type === undefined) return undefined;
  const name = objectFinalizerOf(operator);
  const objects: KubeObject[] = [];
  for await (const object of client.of<KubeObject>(type).listAll({ signal })) {
    if (object.metadata.finalizers?.includes(name) === true) objects.push(object);
  }
  return { type, objects };
}

function nameOf(operator: OperatorObject): string {
  return formatObjectKey(objectKey(operator));
}

function ignoreGone(error: unknown): void {
  if (!hasCode(error, 'NotFound')) throw error;
}
