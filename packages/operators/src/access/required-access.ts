import type { MissingPermission, OperatorObject, OperatorSpec } from '@fnlet/api';
import { type Clock, isJsonObject } from '@fnlet/base';
import type { Client } from '@fnlet/client';
import { parseApiVersion } from '@fnlet/machinery';
import { declareOperator } from '../plan/declare-operator.ts';
import { KindFinder } from '../plan/kind-finder.ts';
import { kindId, kindOf, kindsNamed, type NamedKind, type ServedKind } from '../plan/kinds.ts';
import { requiredPermissions, rulesOf } from './permission.ts';

export interface RequiredAccessOptions {
  /** Says which kinds the API serves. */
  readonly client: Client;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/**
 * The rules that the ServiceAccount of an Operator needs, and no more; the hub asks for the same.
 * Those without a namespace belong into a ClusterRole.
 *
 * @throws HubError `KindNotServed` for kinds that are neither served nor brought by the Operator;
 *   FnletError for a spec that cannot be meant
 */
export async function requiredAccess(
  operator: OperatorObject,
  { client, clock, signal }: RequiredAccessOptions,
): Promise<MissingPermission[]> {
  const { spec } = operator;
  const finder = new KindFinder({ client, clock });
  const kinds = new Map<string, ServedKind>();
  for (const named of kindsNamed(spec)) {
    // Without these rights its definitions are not there yet.
    const kind = kindBrought(spec, named) ?? (await finder.find(named, signal));
    kinds.set(kindId(named), kind);
  }
  const declared = declareOperator(operator, { kinds, hasConditions: false, onTrouble: () => {} });
  const asked = {
    ...{ ...declared, reconcile: () => ({}) },
    ...(spec.finalize === true ? { cleanup: () => ({}) } : {}),
  };
  return rulesOf(requiredPermissions(asked, spec, kinds));
}

/** The kind as a definition says that the Operator brings with it. */
export function kindBrought(
  { crds = [] }: Pick<OperatorSpec, 'crds'>,
  { apiVersion, kind }: NamedKind,
): ServedKind | undefined {
  const { group, version } = parseApiVersion(apiVersion);
  for (const definition of crds) {
    const spec = isJsonObject(definition) ? definition.spec : undefined;
    if (!isJsonObject(spec) || spec.group !== group || !isJsonObject(spec.names)) continue;
    const { names, scope, versions } = spec;
    if (names.kind !== kind || typeof names.plural !== 'string') continue;
    const served = Array.isArray(versions) ? versions.filter(isJsonObject) : [];
    const found = served.find(({ name }) => name === version);
    if (found === undefined) continue;
    const namespaced = scope === 'Namespaced';
    const hasStatus = isJsonObject(found.subresources) && isJsonObject(found.subresources.status);
    return { kind: kindOf({ group, version, kind, plural: names.plural, namespaced }), hasStatus };
  }
  return undefined;
}
