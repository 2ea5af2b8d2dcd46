import type { FunctionSource, KindView, OperatorSpec } from '@fnlet/api';
import type { KubeObject } from '@fnlet/machinery';
import { OperatorWebhooks } from '@fnlet/reconcile';
import {
  hasFinalizer,
  type Kind,
  type Operator,
  requiredDefinitions,
  requiredRules,
  type View,
  viewOf,
  type Watch,
} from '@fnlet/sdk/operator';
import { CliError } from '../../cli-error.ts';
import { exitCodes } from '../../exit-codes.ts';
import { grantIn } from '../operator-account.ts';
import { planWhen } from './plan-when.ts';

/** An operator, and by which name its module exports it. */
export interface NamedOperator {
  readonly operator: Operator;
  readonly exportName: string;
}

/** What operators are deployed from. */
export interface OperatorDeployment {
  readonly namespace: string;
  readonly operators: readonly NamedOperator[];
  /** Of the Operator object; only where there is one operator. Default: see `operatorName`. */
  readonly name?: string | undefined;
  /** An account that there is, with its rights. Default: one of its own for each operator. */
  readonly serviceAccountName?: string | undefined;
  readonly runtime: string;
  /** The file with the operators, as handlers name it: without its ending. */
  readonly module: string;
  readonly source: FunctionSource;
  /** Text of a package.json, or of a requirements.txt. */
  readonly dependencies?: string | undefined;
  readonly env?: readonly { readonly name: string; readonly value: string }[];
}

/**
 * Everything that operators are for a hub: the definitions of their kinds; for each an account with
 * the rights that follow from what it declares, and no others; and the Operator, with its source.
 * In the order in which they are to be applied.
 *
 * @throws CliError for what a hub does not do
 */
export function planOperatorManifests(deployment: OperatorDeployment): KubeObject[] {
  const { operators, name, serviceAccountName } = deployment;
  const all = operators.map(({ operator }) => operator);
  for (const operator of all) refuseWebhooks(operator);
  if (name !== undefined && operators.length > 1) {
    const found = `found ${operators.length} operators, expected one`;
    throw new CliError(exitCodes.usage, `Cannot name the Operator "${name}": ${found}`, {
      remedy: 'Leave out --name: each has the name of its kind',
    });
  }
  const named = operators.map((one) => ({ ...one, name: name ?? operatorName(one.operator) }));
  refuseSameNames(named);
  return [
    ...requiredDefinitions(all).map((definition) => ({ ...definition })),
    ...named.flatMap((one) => [
      ...(serviceAccountName === undefined ? account(one, deployment.namespace) : []),
      operatorObject(one, deployment),
    ]),
  ];
}

type WatchedKind = NonNullable<OperatorSpec['watches']>[number];

interface DeployedOperator extends NamedOperator {
  readonly name: string;
}

/** What its Operator object is called: its own name where that can be one, else that of its kind. */
export function operatorName({ name, for: of }: Operator): string {
  return /^[a-z]([-a-z0-9]{0,50}[a-z0-9])?$/.test(name) ? name : of.plural;
}

function operatorObject(one: DeployedOperator, deployment: OperatorDeployment): KubeObject {
  const { namespace, serviceAccountName = one.name } = deployment;
  const spec: Partial<OperatorSpec> = {
    ...declared(one.operator),
    reconcile: reconcileOf(one, deployment),
    serviceAccountName,
  };
  return {
    apiVersion: 'fnlet.dev/v1alpha1',
    kind: 'Operator',
    metadata: { name: one.name, namespace },
    spec,
  };
}

function declared(operator: Operator): Partial<OperatorSpec> {
  const { name, for: of, owns = [], watches = [], when, select, namespaces } = operator;
  const { concurrency, deadline, resync, backoff } = operator;
  return {
    for: reference(of),
    ...(owns.length === 0 ? {} : { owns: owns.map((owned) => kindView(viewOf(owned))) }),
    ...(watches.length === 0 ? {} : { watches: watches.map(watchedKind) }),
    ...(when === undefined ? {} : { when: planWhen(when) }),
    ...(select === undefined ? {} : { select }),
    ...(namespaces === undefined ? {} : { namespaces }),
    ...(hasFinalizer(operator) ? { finalize: true } : {}),
    ...(concurrency === undefined ? {} : { concurrency }),
    ...(deadline === undefined ? {} : { deadline }),
    ...(resync === undefined ? {} : { resync }),
    ...(backoff === undefined ? {} : { backoff }),
    // As in a process of its own: who ran it there before runs it here, and the other way around.
    fieldManager: name,
  };
}

function reference({ apiVersion, kind }: Kind): OperatorSpec['for'] {
  return { apiVersion, kind };
}

function kindView({ kind, fields, labels }: View): KindView {
  return {
    ...reference(kind),
    ...(fields === undefined ? {} : { keep: [...new Set(fields)] }),
    ...(labels === undefined ? {} : { selector: labels }),
  };
}

function watchedKind({ view, expression }: Watch): WatchedKind {
  return { ...kindView(view), ...(expression === undefined ? {} : { map: expression }) };
}

function reconcileOf(
  { exportName }: NamedOperator,
  { runtime, module, source, dependencies, env = [] }: OperatorDeployment,
): OperatorSpec['reconcile'] {
  return {
    runtime,
    handler: `${module}.${exportName}`,
    source,
    ...(dependencies === undefined ? {} : { dependencies }),
    ...(env.length === 0 ? {} : { env }),
  };
}

function account({ name, operator }: DeployedOperator, namespace: string): KubeObject[] {
  const subject = { name, namespace };
  const rules = requiredRules([operator]);
  const places = operator.namespaces ?? [undefined];
  return [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: subject },
    ...places.flatMap((place) => {
      // Roles of the whole cluster are in no namespace, and operators of others may be called so.
      const roleName = place === undefined ? `${namespace}:${name}` : name;
      return grantIn(place, subject, { rules, roleName });
    }),
  ];
}

function refuseSameNames(named: readonly DeployedOperator[]): void {
  const seen = new Map<string, string>();
  for (const { name, exportName } of named) {
    const other = seen.get(name);
    if (other !== undefined) {
      const found = `found the same name for the exports "${other}" and "${exportName}"`;
      throw new CliError(exitCodes.failed, `Cannot deploy Operator "${name}": ${found}`, {
        remedy: 'Give them names of their own: operator(Kind, { name: "…", … })',
      });
    }
    seen.set(name, exportName);
  }
}

function refuseWebhooks(operator: Operator): void {
  if (new OperatorWebhooks([operator]).isEmpty) return;
  const found = 'found webhooks, or older versions of its kind, which need a process that is there';
  throw new CliError(exitCodes.failed, `Cannot deploy operator "${operator.name}": ${found}`, {
    remedy: 'Run it as a process of its own: fnlet operator run, in a Deployment',
  });
}
