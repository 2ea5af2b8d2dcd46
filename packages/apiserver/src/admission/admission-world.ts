import type { KubeObject } from '@fnlet/machinery';
import { notFound } from '../answer/status-texts.ts';
import type { ApiContext } from '../api-context.ts';
import { showKept } from '../object/converted-objects.ts';
import { fromStore, toStore } from '../object/object-form.ts';
import { readObject } from '../object/objects.ts';
import type { Resource } from '../resource/resource.ts';
import { type AdmissionAttributes, showsOwnKind } from './admission-attributes.ts';
import type { MatchWorld } from './match-request.ts';

/** What webhooks and policies are matched with, as the store has it. */
export function createMatchWorld(context: Pick<ApiContext, 'store' | 'catalog'>): MatchWorld {
  return {
    labelsOfNamespace: (name) => readNamespace(context, name).metadata.labels ?? {},
    equivalents: (resource) => equivalents(context, resource),
  };
}

/** @throws StatusError `NotFound` */
export function readNamespace(
  { catalog, store }: Pick<ApiContext, 'store' | 'catalog'>,
  name: string,
): KubeObject {
  const namespaces = catalog.find('', 'v1', 'namespaces');
  const read = namespaces && readObject({ store }, namespaces, { namespace: '', name });
  if (read === undefined) throw notFound({ group: '', plural: 'namespaces' }, name);
  return read.object;
}

function equivalents(
  { catalog }: Pick<ApiContext, 'catalog'>,
  resource: Resource,
): readonly Resource[] {
  const { stored } = resource.strategy;
  return catalog
    .groups()
    .flatMap((group) =>
      catalog.versions(group).flatMap((version) => catalog.resources(group, version)),
    )
    .filter(({ strategy }) => strategy.stored.group === stored.group)
    .filter((other) => other.strategy.stored.plural === stored.plural && other !== resource);
}

/** A request with its objects as another resource shows them. */
export async function showAs(
  attributes: AdmissionAttributes,
  seenAs: Resource,
): Promise<AdmissionAttributes> {
  const { resource, object, oldObject } = attributes;
  if (seenAs === resource || !showsOwnKind(attributes)) return attributes;
  return {
    ...attributes,
    object: object && (await convertObject(object, resource, seenAs)),
    oldObject: oldObject && (await convertObject(oldObject, resource, seenAs)),
  };
}

/** The object of one version as another shows it. */
export async function convertObject(
  object: KubeObject,
  from: Resource,
  to: Resource,
): Promise<KubeObject> {
  if (to.strategy.convert !== undefined) {
    const [shown = object] = await showKept(to, [object]);
    return shown;
  }
  const { resourceVersion } = object.metadata;
  const { metadata, ...shown } = fromStore(to, toStore(from, object), 0);
  const { resourceVersion: _, ...kept } = metadata;
  const version = resourceVersion === undefined ? {} : { resourceVersion };
  return { ...shown, metadata: { ...kept, ...version } };
}
