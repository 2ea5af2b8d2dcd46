/** Groups of extensions, as discovery tells them beside those of the catalog. */
import { formatApiVersion } from '@fnlet/machinery';
import type {
  ApiExtension,
  ExtensionResource,
  ExtensionVersion,
} from '../request/api-extension.ts';

/** An extension that clients are told about. */
export type DiscoveredExtension = ApiExtension & {
  readonly versions: readonly ExtensionVersion[];
};

export function isDiscovered(extension: ApiExtension): extension is DiscoveredExtension {
  return extension.versions !== undefined && extension.versions.length > 0;
}

/** Its entry in `/apis`, and what `/apis/<group>` says besides its kind. */
export function extensionEntry({ group, versions }: DiscoveredExtension): {
  readonly name: string;
} {
  const entries = versions.map(({ version }) => ({
    groupVersion: formatApiVersion({ group, version }),
    version,
  }));
  return { name: group, ...{ versions: entries, preferredVersion: entries[0] } };
}

/** `/apis/<group>/<version>`; `undefined` for a version that is not served. */
export function extensionResourceList(
  { group, versions }: DiscoveredExtension,
  version: string,
): unknown {
  const found = versions.find((known) => known.version === version);
  if (found === undefined) return undefined;
  return {
    kind: 'APIResourceList',
    apiVersion: 'v1',
    groupVersion: formatApiVersion({ group, version }),
    resources: found.resources.map((resource) => ({ singularName: '', ...resource })),
  };
}

/** Its entry in the document with everything (KEP-3352). */
export function extensionGroup({ group, versions }: DiscoveredExtension): unknown {
  return {
    metadata: { name: group },
    versions: versions.map(({ version, resources }) => ({
      version,
      resources: resourceEntries(resources, { group, version }),
      freshness: 'Current',
    })),
  };
}

/** What is below a resource stands in its entry, which there is then, too (kube-aggregator). */
function resourceEntries(
  resources: readonly ExtensionResource[],
  { group, version }: { readonly group: string; readonly version: string },
): readonly unknown[] {
  const entries = new Map<string, { readonly whole: object; readonly below: object[] }>();
  for (const { name, kind, namespaced, verbs } of resources) {
    const [plural = '', subresource] = name.split('/');
    const scope = namespaced ? 'Namespaced' : 'Cluster';
    const responseKind = { group, version, kind };
    const known = entries.get(plural);
    const own =
      subresource === undefined
        ? { resource: plural, responseKind, scope, singularResource: '', verbs }
        : { resource: plural, responseKind: noKind, scope, singularResource: '', verbs: [] };
    const entry = known ?? { whole: own, below: [] };
    if (subresource !== undefined) entry.below.push({ subresource, responseKind, verbs });
    entries.set(plural, entry);
  }
  return [...entries.values()].map(({ whole, below }) =>
    below.length === 0 ? whole : { ...whole, subresources: below },
  );
}

const noKind = { group: '', version: '', kind: '' };
