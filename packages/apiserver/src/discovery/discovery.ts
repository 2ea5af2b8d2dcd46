import { sha256 } from '@fnlet/base';
import { compareVersions, formatApiVersion, parseApiVersion } from '@fnlet/machinery';
import type { Catalog } from '../resource/catalog.ts';
import { type Resource, resourceVerbs } from '../resource/resource.ts';
import type { Strategy } from '../resource/strategy.ts';

// The legacy documents of discovery, which clients before 1.26 read group by group.

const subresourceVerbs = ['get', 'patch', 'update'];

const proxyVerbs = ['create', 'delete', 'get', 'patch', 'update'];

const podSubresources = [
  { name: 'attach', kind: 'PodAttachOptions', verbs: ['create', 'get'] },
  { name: 'binding', kind: 'Binding', verbs: ['create'] },
  { name: 'ephemeralcontainers', kind: 'Pod', verbs: subresourceVerbs },
  { name: 'eviction', kind: 'Eviction', verbs: ['create'], group: 'policy', version: 'v1' },
  { name: 'exec', kind: 'PodExecOptions', verbs: ['create', 'get'] },
  { name: 'log', kind: 'Pod', verbs: ['get'] },
  { name: 'portforward', kind: 'PodPortForwardOptions', verbs: ['create', 'get'] },
  { name: 'proxy', kind: 'PodProxyOptions', verbs: proxyVerbs },
];

/** A subresource as discovery tells it. */
export interface DiscoveredSubresource {
  readonly name: string;
  readonly kind: string;
  readonly verbs: readonly string[];
  /** Where the kind is defined, when not in the resource's own group version. */
  readonly group?: string;
  readonly version?: string;
}

/** The subresources of a resource, in discovery's order: by name, but for those of definitions. */
export function subresources(resource: Resource): readonly DiscoveredSubresource[] {
  const { strategy } = resource;
  const { kind, plural, group } = strategy.type;
  const found: DiscoveredSubresource[] = [];
  if (group === '' && plural === 'namespaces') {
    found.push({ name: 'finalize', kind, verbs: ['update'] });
  }
  if (group === '' && plural === 'pods') found.push(...podSubresources);
  if (group === '' && plural === 'services') {
    found.push({ name: 'proxy', kind: 'ServiceProxyOptions', verbs: proxyVerbs });
  }
  if (group === '' && plural === 'serviceaccounts') {
    const token = { name: 'token', kind: 'TokenRequest', verbs: ['create'] };
    found.push({ ...token, group: 'authentication.k8s.io', version: 'v1' });
  }
  if (group === 'certificates.k8s.io' && plural === 'certificatesigningrequests') {
    found.push({ name: 'approval', kind, verbs: subresourceVerbs });
  }
  if (strategy.hasStatus) found.push({ name: 'status', kind, verbs: subresourceVerbs });
  if (strategy.scale !== undefined) {
    const scale = { name: 'scale', kind: 'Scale', verbs: subresourceVerbs };
    found.push({ ...scale, group: 'autoscaling', version: 'v1' });
  }
  return strategy.custom ? found : found.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** `/api` */
export function coreVersions(catalog: Catalog): unknown {
  return {
    kind: 'APIVersions',
    versions: catalog.versions(''),
    serverAddressByClientCIDRs: [],
  };
}

/** What this server serves, and what it passes on. */
interface Served {
  readonly catalog: Catalog;
  readonly remotes: readonly { readonly group: string; readonly version: string }[];
}

/** `/apis`; `others` are entries of groups that are neither. */
export function groupList(served: Served, others: readonly unknown[]): unknown {
  const all = [...served.catalog.groups(), ...served.remotes.map(({ group }) => group)];
  const groups = [...new Set(all)].filter((group) => group !== '');
  return {
    kind: 'APIGroupList',
    apiVersion: 'v1',
    groups: [...groups.map((group) => groupEntry(served, group)), ...others],
  };
}

/** `/apis/<group>`; `undefined` for a group that is not served. */
export function groupDocument(served: Served, group: string): unknown {
  if (versionsOf(served, group).length === 0) return undefined;
  return { kind: 'APIGroup', apiVersion: 'v1', ...groupEntry(served, group) };
}

function versionsOf({ catalog, remotes }: Served, group: string): readonly string[] {
  const others = remotes.flatMap((remote) => (remote.group === group ? [remote.version] : []));
  if (others.length === 0) return catalog.versions(group);
  return [...new Set([...catalog.versions(group), ...others])].sort(compareVersions);
}

function groupEntry(served: Served, group: string): { readonly name: string } {
  const versions = versionsOf(served, group).map((version) => ({
    groupVersion: formatApiVersion({ group, version }),
    version,
  }));
  return { name: group, ...{ versions, preferredVersion: versions[0] } };
}

/** `/api/v1` and `/apis/<group>/<version>`; `undefined` for one that is not served. */
export function resourceList(catalog: Catalog, group: string, version: string): unknown {
  if (!catalog.versions(group).includes(version)) return undefined;
  const resources = catalog.resources(group, version).flatMap(resourceEntries);
  return {
    kind: 'APIResourceList',
    apiVersion: 'v1',
    groupVersion: formatApiVersion({ group, version }),
    resources,
  };
}

function resourceEntries(resource: Resource): readonly unknown[] {
  const { strategy } = resource;
  const { kind, plural, namespaced } = strategy.type;
  return [
    {
      name: plural,
      singularName: strategy.singular,
      namespaced,
      kind,
      verbs: resourceVerbs(strategy),
      ...names(strategy.shortNames, strategy.categories),
      ...(strategy.answer === undefined && strategy.computed !== true
        ? { storageVersionHash: storageVersionHash(strategy) }
        : {}),
    },
    ...subresources(resource).map(({ name, ...rest }) => ({
      name: `${plural}/${name}`,
      singularName: '',
      namespaced,
      ...rest,
    })),
  ];
}

/** Tells clients that migrate storage when the stored version changed (KEP-2339). */
function storageVersionHash({ stored, type }: Strategy): string {
  const { group, version } = parseApiVersion(stored.apiVersion);
  const digest = Buffer.from(sha256(`${group}/${version}/${type.kind}`), 'hex');
  return digest.subarray(0, 8).toString('base64');
}

/** Short names and categories, where there are any. */
export function names(
  shortNames: readonly string[],
  categories: readonly string[],
): { shortNames?: readonly string[]; categories?: readonly string[] } {
  return {
    ...(shortNames.length === 0 ? {} : { shortNames }),
    ...(categories.length === 0 ? {} : { categories }),
  };
}
