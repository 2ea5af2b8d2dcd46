import { isJsonObject, type JsonObject } from '@fnlet/base';
import type { KubeObject, ResourceType } from '@fnlet/machinery';
import { ClientError } from './client-error.ts';
import { parseItem } from './kube-object-guard.ts';
import { type Projection, projectValue } from './projection.ts';

/** A page of a list. */
export interface ObjectList<T extends KubeObject> {
  readonly items: readonly T[];
  /** The version of the state that the whole list, over all its pages, shows. */
  readonly resourceVersion: string;
  /** Where the next page starts; `undefined` on the last one. */
  readonly continue: string | undefined;
  /** How many objects follow, where the server tells. */
  readonly remainingItemCount: number | undefined;
}

/**
 * The page in an answer, with what is kept of its objects.
 *
 * @throws ClientError `InvalidAnswer`
 */
export function parseList<T extends KubeObject>(
  type: ResourceType,
  value: unknown,
  projection: Projection,
): ObjectList<T> {
  const list: JsonObject = isJsonObject(value) ? value : {};
  const metadata: JsonObject = isJsonObject(list.metadata) ? list.metadata : {};
  const { resourceVersion, continue: token, remainingItemCount } = metadata;
  // Go writes an empty slice as null.
  const items: unknown = list.items === null ? [] : list.items;
  if (!Array.isArray(items) || typeof resourceVersion !== 'string') {
    throw new ClientError(
      'InvalidAnswer',
      `Cannot read the list of ${type.plural}: found kind ${JSON.stringify(list.kind)} without ` +
        'items or resourceVersion, expected a list',
    );
  }
  return {
    items: items.map((item: unknown) => parseItem<T>(type, projectValue(item, projection))),
    resourceVersion,
    continue: typeof token === 'string' && token !== '' ? token : undefined,
    remainingItemCount: typeof remainingItemCount === 'number' ? remainingItemCount : undefined,
  };
}
