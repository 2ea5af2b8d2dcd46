import { isJsonObject, type JsonObject } from '@fnlet/base';
import { parseApiVersion, type ResourceType } from '@fnlet/machinery';

/** A kind that an API serves. */
export interface DiscoveredResource {
  readonly type: ResourceType;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly verbs: readonly string[];
  readonly subresources: readonly string[];
}

/** The resources of an APIGroupDiscoveryList (apidiscovery.k8s.io/v2), preferred versions first. */
export function parseAggregated(list: JsonObject): readonly DiscoveredResource[] {
  return objects(list.items).flatMap((group) => {
    const metadata = isJsonObject(group.metadata) ? group.metadata : {};
    return objects(group.versions).flatMap((version) =>
      objects(version.resources).flatMap((resource) =>
        parseAggregatedResource(text(metadata.name), text(version.version), resource),
      ),
    );
  });
}

function parseAggregatedResource(
  group: string,
  version: string,
  resource: JsonObject,
): readonly DiscoveredResource[] {
  const kind = isJsonObject(resource.responseKind) ? text(resource.responseKind.kind) : '';
  // A resource that exists only through its subresources has no kind of its own.
  if (kind === '') return [];
  const namespaced = resource.scope === 'Namespaced';
  return [
    {
      type: { group, version, kind, plural: text(resource.resource), namespaced },
      singular: text(resource.singularResource) || kind.toLowerCase(),
      shortNames: texts(resource.shortNames),
      categories: texts(resource.categories),
      verbs: texts(resource.verbs),
      subresources: objects(resource.subresources).map(({ subresource }) => text(subresource)),
    },
  ];
}

/** The group versions of an APIGroupList, each group's preferred version first. */
export function parseGroupVersions(list: JsonObject): readonly string[] {
  return objects(list.groups).flatMap((group) => {
    const preferred = isJsonObject(group.preferredVersion) ? group.preferredVersion : {};
    const versions = objects(group.versions).map(({ groupVersion }) => text(groupVersion));
    return [...new Set([text(preferred.groupVersion), ...versions])].filter(Boolean);
  });
}

/** The resources of an APIResourceList. */
export function parseResourceList(list: JsonObject): readonly DiscoveredResource[] {
  const { group, version } = parseApiVersion(text(list.groupVersion));
  const all = objects(list.resources);
  return all
    .filter(({ name }) => !text(name).includes('/'))
    .map((resource) => {
      const plural = text(resource.name);
      const kind = text(resource.kind);
      const prefix = `${plural}/`;
      return {
        type: { group, version, kind, plural, namespaced: resource.namespaced === true },
        singular: text(resource.singularName) || kind.toLowerCase(),
        shortNames: texts(resource.shortNames),
        categories: texts(resource.categories),
        verbs: texts(resource.verbs),
        subresources: all
          .map(({ name }) => text(name))
          .filter((name) => name.startsWith(prefix))
          .map((name) => name.slice(prefix.length)),
      };
    });
}

function objects(list: unknown): readonly JsonObject[] {
  return Array.isArray(list) ? list.filter(isJsonObject) : [];
}

function texts(list: unknown): readonly string[] {
  return Array.isArray(list) ? list.filter((item) => typeof item === 'string') : [];
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
