import type { KubeObject, ObjectKey } from '@fnlet/machinery';
import type { ObjectList } from '../answer/object-list.ts';
import type { ApiContext } from '../api-context.ts';
import { toDocument } from '../request/json-document.ts';
import type { Resource } from '../resource/resource.ts';
import { isKubeObject } from './object-form.ts';
import { type ReadObject, requireObject } from './objects.ts';

// Where a webhook converts, objects are read as they are kept, in whatever version that is, and
// converted where they are shown: the store knows one form of each, and nobody waits while reading.

/** Objects as they are kept, in the version of a resource. @throws StatusError of the webhook */
export async function showKept(
  resource: Resource,
  kept: readonly KubeObject[],
): Promise<readonly KubeObject[]> {
  const { apiVersion } = resource;
  const { convert } = resource.strategy;
  if (convert === undefined) return kept;
  const foreign = kept.filter((object) => object.apiVersion !== apiVersion);
  const converted = foreign.length === 0 ? [] : await convert(foreign, apiVersion);
  let next = 0;
  return kept.map((object) => {
    if (object.apiVersion === apiVersion) return complete(resource, object);
    const own = converted[next++] ?? object;
    const { value } = resource.schema.prune(own);
    return complete(resource, isKubeObject(value) ? value : own);
  });
}

function complete(resource: Resource, object: KubeObject): KubeObject {
  const defaulted = resource.schema.applyDefaults(object);
  return isKubeObject(defaulted) ? defaulted : object;
}

/** One object in the version of a resource. @throws StatusError `NotFound`, that of the webhook */
export async function requireShown(
  context: ApiContext,
  resource: Resource,
  key: ObjectKey,
): Promise<ReadObject> {
  const { object, revision } = requireObject(context, resource.kept, key);
  const [shown = object] = await showKept(resource, [object]);
  return { object: shown, revision };
}

/** A list of objects as they are kept, in the version of a resource. @throws StatusError of the webhook */
export async function showList(resource: Resource, list: ObjectList): Promise<ObjectList> {
  if (resource.strategy.convert === undefined) return list;
  const shown = await showKept(
    resource,
    list.items.map(({ value }) => value),
  );
  return { ...list, items: shown.map(toDocument) };
}
