import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { MissingPermission, OperatorObject } from '@fnlet/api';
import { createClient } from '@fnlet/client';
import type { KubeObject } from '@fnlet/machinery';
import type { CliContext, DocumentFormat, GlobalOptions } from '../cli-context.ts';
import { connect } from '../connection.ts';
import { grantIn, planOperatorAccount } from '../operator/operator-account.ts';
import { loadOperatorModule } from '../operator/operator-module.ts';
import { formatManifests } from '../output.ts';

export interface OperatorAccountFlags extends Omit<GlobalOptions, 'output'> {
  readonly output: DocumentFormat;
  readonly serviceAccount?: string;
}

/** `fnlet operator rbac`: prints the account that a module's operators, or an Operator, need. */
export async function printAccount(
  flags: OperatorAccountFlags & { readonly named: string },
  context: CliContext,
): Promise<void> {
  const isName = /^[a-z]([-a-z0-9]*[a-z0-9])?$/.test(flags.named);
  const objects =
    isName && !(await isFile(resolve(context.workingDirectory, flags.named)))
      ? await accountOfOperator(flags, context)
      : await accountOfModule(flags, context);
  context.stdout.write(await formatManifests(flags.output, objects));
}

async function accountOfModule(
  flags: OperatorAccountFlags & { readonly named: string },
  context: CliContext,
): Promise<KubeObject[]> {
  const { operators } = await loadOperatorModule(flags.named, context);
  const { serviceAccount = operators[0]?.for.plural ?? 'operator', namespace = 'default' } = flags;
  return planOperatorAccount(operators, { name: serviceAccount, namespace });
}

async function accountOfOperator(
  { output: _, named: name, serviceAccount, ...where }: OperatorAccountFlags & { named: string },
  context: CliContext,
): Promise<KubeObject[]> {
  await using connection = await connect(where, context);
  const { namespace, transport } = connection;
  const { signal, clock } = context;
  const operator = await connection.operators.get({ namespace, name }, { signal });
  const { requiredAccess } = await import('@fnlet/operators');
  const client = createClient(transport, { fieldManager: 'fnlet' });
  const rules = await requiredAccess(operator, { client, clock, signal });
  return planAccountOf(operator, rules, serviceAccount);
}

/** An Operator's account, and its roles as `fnlet operator deploy` calls them. */
export function planAccountOf(
  { metadata, spec }: Pick<OperatorObject, 'metadata' | 'spec'>,
  access: readonly MissingPermission[],
  account: string = spec.serviceAccountName ?? 'default',
): KubeObject[] {
  const { name, namespace = 'default' } = metadata;
  const subject = { name: account, namespace };
  const places = Map.groupBy(access, (rule) => rule.namespace);
  return [
    // Every namespace has one of that name already.
    ...(account === 'default'
      ? []
      : [{ apiVersion: 'v1', kind: 'ServiceAccount', metadata: subject }]),
    ...[...places].flatMap(([place, members]) => {
      const rules = members.map(({ apiGroups = [], resources = [], verbs = [] }) => {
        return { apiGroups, resources, verbs };
      });
      const roleName = place === undefined ? `${namespace}:${name}` : name;
      return grantIn(place, subject, { rules, roleName });
    }),
  ];
}

async function isFile(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}
