import type { MissingPermission, OperatorSpec } from '@fnlet/api';
import { type Operator, type PolicyRule, requiredRules } from '@fnlet/sdk/operator';
import { kindId, type ServedKind } from '../plan/kinds.ts';

/** One thing that an account is to be allowed. */
export interface Permission {
  readonly group: string;
  readonly resource: string;
  /** `status`, `finalizers`; empty for the object itself. */
  readonly subresource: string;
  readonly verb: string;
  /** Empty: everywhere, or of the whole cluster. */
  readonly namespace: string;
}

/**
 * All that an operator has to be allowed: what follows from its declarations, in the namespaces in
 * which it works. Kinds without a status of their own ask for none.
 */
export function requiredPermissions(
  operator: Operator,
  spec: OperatorSpec,
  kinds: ReadonlyMap<string, ServedKind>,
): Permission[] {
  const served = [...kinds.values()];
  const isNamespaced = (group: string, plural: string): boolean =>
    served.some(({ kind }) => {
      return kind.group === group && kind.plural === plural && kind.scope === 'Namespaced';
    });
  const hasStatus = kinds.get(kindId(spec.for))?.hasStatus === true;
  const places = spec.namespaces ?? [''];
  const asked = requiredRules([operator]).flatMap(permissionsOf);
  return [...asked, ...definitionPermissions(spec)]
    .filter(({ subresource }) => subresource !== 'status' || hasStatus)
    .flatMap((permission): Permission[] => {
      const { group, resource } = permission;
      const isPlaced = isNamespaced(group, resource) || isEvents(permission);
      return (isPlaced ? places : ['']).map((namespace) => ({ ...permission, namespace }));
    });
}

type Unplaced = Omit<Permission, 'namespace'>;

function permissionsOf({ apiGroups, resources, verbs }: PolicyRule): Unplaced[] {
  return apiGroups.flatMap((group) =>
    resources.flatMap((path) => {
      const [resource = '', subresource = ''] = path.split('/');
      return verbs.map((verb) => ({ group, resource, subresource, verb }));
    }),
  );
}

function definitionPermissions({ crds = [] }: OperatorSpec): Unplaced[] {
  if (crds.length === 0) return [];
  const definitions = {
    group: 'apiextensions.k8s.io',
    resource: 'customresourcedefinitions',
    subresource: '',
  };
  return ['get', 'create', 'patch'].map((verb) => ({ ...definitions, verb }));
}

function isEvents({ group, resource }: Unplaced): boolean {
  return group === '' && resource === 'events';
}

/** Permissions as the rules of Roles: those with the same verbs in the same place together. */
export function rulesOf(permissions: readonly Permission[]): MissingPermission[] {
  const byResource = Map.groupBy(permissions, ({ namespace, group, resource, subresource }) =>
    [namespace, group, subresource === '' ? resource : `${resource}/${subresource}`].join(' '),
  );
  const single = [...byResource].map(([id, members]) => {
    const [namespace = '', group = '', resource = ''] = id.split(' ');
    return { namespace, group, resource, verbs: members.map(({ verb }) => verb) };
  });
  const alike = Map.groupBy(single, ({ namespace, group, verbs }) =>
    [namespace, group, ...verbs].join(' '),
  );
  return [...alike.values()].flatMap((members) => {
    const [first] = members;
    if (first === undefined) return [];
    const { namespace, group, verbs } = first;
    return [
      {
        apiGroups: [group],
        resources: members.map(({ resource }) => resource),
        verbs,
        ...(namespace === '' ? {} : { namespace }),
      },
    ];
  });
}

/** Rules as they are written into a Role, one on a line. */
export function formatRule({
  apiGroups = [],
  resources = [],
  verbs = [],
}: MissingPermission): string {
  const list = (texts: readonly string[]): string => `[${texts.map(quoted).join(', ')}]`;
  return `{apiGroups: ${list(apiGroups)}, resources: ${list(resources)}, verbs: ${list(verbs)}}`;
}

function quoted(text: string): string {
  return /^[a-z][-a-z./0-9]*$/.test(text) ? text : JSON.stringify(text);
}

/** What has to be added for an account, in a sentence. */
export function describeMissing(
  missing: readonly MissingPermission[],
  account: { readonly namespace: string; readonly name: string },
): string {
  const places = Map.groupBy(missing, ({ namespace = '' }) => namespace);
  const parts = [...places].map(([namespace, rules]) => {
    const where = namespace === '' ? 'a ClusterRole' : `a Role in namespace ${namespace}`;
    return `add to ${where}: ${rules.map(formatRule).join(', ')}`;
  });
  const { namespace, name } = account;
  return `ServiceAccount ${namespace}/${name} may not do all that is declared; ${parts.join('; ')}`;
}
