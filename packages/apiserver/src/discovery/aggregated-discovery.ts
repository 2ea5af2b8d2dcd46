import type { Transform } from '../request/negotiation.ts';
import type { Catalog } from '../resource/catalog.ts';
import { type Resource, resourceVerbs } from '../resource/resource.ts';
import { type DiscoveredSubresource, names, subresources } from './discovery.ts';

/** Whether a client asks for all of discovery in one document (KEP-3352). */
export function isAggregatedDiscovery(transform: Transform): boolean {
  const { group, version, kind } = transform;
  const isServed = version === 'v2' || version === 'v2beta1';
  return group === 'apidiscovery.k8s.io' && kind === 'APIGroupDiscoveryList' && isServed;
}

/**
 * The core group (`/api`) or all others (`/apis`), with every resource in every version.
 *
 * @param document its own version, and entries of groups that are not in the catalog
 */
export function aggregatedDiscovery(
  catalog: Catalog,
  root: 'api' | 'apis',
  document: { readonly version: string; readonly others: readonly unknown[] },
): unknown {
  const { version, others } = document;
  const groups = catalog.groups().filter((group) => (group === '') === (root === 'api'));
  return {
    kind: 'APIGroupDiscoveryList',
    apiVersion: `apidiscovery.k8s.io/${version}`,
    metadata: {},
    items: [...groups.map((group) => groupItem(catalog, group)), ...others],
  };
}

function groupItem(catalog: Catalog, group: string): unknown {
  return {
    metadata: group === '' ? {} : { name: group },
    versions: catalog.versions(group).map((name) => ({
      version: name,
      resources: catalog.resources(group, name).map(resourceEntry),
      freshness: 'Current',
    })),
  };
}

function resourceEntry(resource: Resource): unknown {
  const { strategy } = resource;
  const { group, version, kind, plural, namespaced } = strategy.type;
  const nested = subresources(resource).map((subresource) =>
    subresourceEntry(resource, subresource),
  );
  return {
    resource: plural,
    responseKind: { group, version, kind },
    scope: namespaced ? 'Namespaced' : 'Cluster',
    singularResource: strategy.singular,
    verbs: resourceVerbs(strategy),
    ...names(strategy.shortNames, strategy.categories),
    ...(nested.length === 0 ? {} : { subresources: nested }),
  };
}

function subresourceEntry(resource: Resource, subresource: DiscoveredSubresource): unknown {
  const { type } = resource.strategy;
  const { name, kind, verbs, group = type.group, version = type.version } = subresource;
  return { subresource: name, responseKind: { group, version, kind }, verbs };
}
