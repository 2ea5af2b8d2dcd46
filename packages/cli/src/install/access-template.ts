/** Who may do what: accounts of Fnlet's parts, and what the roles of people gain. */
import { clusterNames } from '@fnlet/server/cluster/names';
import {
  type AccountRules,
  aggregationRules,
  controllerRules,
  gatewayRules,
  recordAccess,
  settingRules,
  systemRules,
  watchedRoles,
} from '@fnlet/server/cluster/rules';
import { installationLabels } from './installation-labels.ts';
import { type ManifestTemplate, type TemplateFields, text, value } from './manifest-template.ts';

const rbac = 'rbac.authorization.k8s.io';

/** ServiceAccounts with the roles that the parts need, and no more. */
export function planAccess(): readonly ManifestTemplate[] {
  return [
    ...planAccount(clusterNames.controller, controllerRules),
    ...planAccount(clusterNames.gateway, gatewayRules),
    ...planWatched(),
    ...planExtra('kyma', { when: 'systems.kyma', rules: systemRules.kyma }),
    ...planExtra('kubeless', { when: 'systems.kubeless', rules: systemRules.kubeless }),
    ...planExtra('api', { when: 'aggregatedApi', rules: aggregationRules }),
    ...Object.entries(settingRules).flatMap(([when, rules]) =>
      planExtra(when.replace(/\..*$/, '').toLowerCase(), { when, rules }),
    ),
    ...planAggregatedRoles(),
  ];
}

function planAccount(name: string, { cluster, namespace }: AccountRules): ManifestTemplate[] {
  const labels = installationLabels(name);
  const here = { name, namespace: value('namespace'), labels };
  // Installations in several namespaces have a role each.
  const everywhere = { name: text(value('namespace'), `:${name}`), labels };
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: here };
  const subjects = [{ kind: 'ServiceAccount', name, namespace: value('namespace') }];
  const objects: TemplateFields[] = [account];
  if (cluster.length > 0) {
    const roleRef = { apiGroup: rbac, kind: 'ClusterRole', name: everywhere.name };
    objects.push(
      role('ClusterRole', everywhere, { rules: toTemplate(cluster) }),
      role('ClusterRoleBinding', everywhere, { subjects, roleRef }),
    );
  }
  if (namespace.length > 0) {
    const roleRef = { apiGroup: rbac, kind: 'Role', name };
    objects.push(
      role('Role', here, { rules: toTemplate(namespace) }),
      role('RoleBinding', here, { subjects, roleRef }),
    );
  }
  return objects.map((object) => ({ object }));
}

/** What Triggers and Operators may be about: whoever brings a kind adds a ClusterRole with a label. */
function planWatched(): ManifestTemplate[] {
  const labels = installationLabels(clusterNames.controller);
  const metadata = { name: text(value('namespace'), `:${clusterNames.watched}`), labels };
  const { controller: name } = clusterNames;
  const subjects = [{ kind: 'ServiceAccount', name, namespace: value('namespace') }];
  const roleRef = { apiGroup: rbac, kind: 'ClusterRole', name: metadata.name };
  const clusterRoleSelectors = watchedRoles.map(({ matchLabels }) => ({ matchLabels }));
  return [
    // Without rules: they are the API's to write.
    { object: role('ClusterRole', metadata, { aggregationRule: { clusterRoleSelectors } }) },
    { object: role('ClusterRoleBinding', metadata, { subjects, roleRef }) },
  ];
}

/** What the controller needs besides where a setting says so. */
function planExtra(
  suffix: string,
  { when, rules }: { readonly when: string; readonly rules: AccountRules['cluster'] },
): ManifestTemplate[] {
  const labels = installationLabels(clusterNames.controller);
  const { controller: name } = clusterNames;
  const metadata = { name: text(value('namespace'), `:${name}-${suffix}`), labels };
  const subjects = [{ kind: 'ServiceAccount', name, namespace: value('namespace') }];
  const roleRef = { apiGroup: rbac, kind: 'ClusterRole', name: metadata.name };
  return [
    { when, object: role('ClusterRole', metadata, { rules: toTemplate(rules) }) },
    { when, object: role('ClusterRoleBinding', metadata, { subjects, roleRef }) },
  ];
}

function role(kind: string, metadata: TemplateFields, fields: TemplateFields): TemplateFields {
  return { apiVersion: `${rbac}/v1`, kind, metadata, ...fields };
}

function toTemplate(rules: AccountRules['cluster']): readonly TemplateFields[] {
  return rules.map(({ apiGroups, resources, verbs, resourceNames }) => ({
    apiGroups,
    resources,
    verbs,
    resourceNames,
  }));
}

const reads = ['get', 'list', 'watch'];
const writes = ['create', 'update', 'patch', 'delete', 'deletecollection'];
const made = ['revisions', 'runtimes'];
const written = ['brokers', 'functions', 'operators', 'triggers'];

/** Who may view or edit a namespace may do so with the objects of Fnlet (rbac/v1 AggregationRule). */
function planAggregatedRoles(): ManifestTemplate[] {
  const of = (name: string, labels: TemplateFields, rules: TemplateFields[]): ManifestTemplate => {
    const metadata = {
      name: text(value('namespace'), `:${name}`),
      labels: { ...installationLabels('fnlet'), ...labels },
    };
    return { object: role('ClusterRole', metadata, { rules }) };
  };
  const aggregate = (role: string): TemplateFields => ({
    [`rbac.authorization.k8s.io/aggregate-to-${role}`]: 'true',
  });
  const apiGroups = ['fnlet.dev'];
  return [
    of('view', aggregate('view'), [
      { apiGroups, resources: [...written, ...made], verbs: reads },
      { apiGroups, resources: ['functions/scale'], verbs: ['get'] },
      ...toTemplate(recordAccess.view),
    ]),
    of('edit', { ...aggregate('edit'), ...aggregate('admin') }, [
      { apiGroups, resources: written, verbs: writes },
      { apiGroups, resources: ['functions/scale'], verbs: ['get', 'update', 'patch'] },
      ...toTemplate(recordAccess.edit),
    ]),
  ];
}
