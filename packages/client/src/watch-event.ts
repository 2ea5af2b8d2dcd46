import { isJsonObject, type JsonObject } from '@fnlet/base';
import { type KubeObject, type ResourceType, StatusError } from '@fnlet/machinery';
import { ClientError } from './client-error.ts';
import { parseStatus } from './failed-answer.ts';
import { parseItem } from './kube-object-guard.ts';
import { type Projection, projectValue } from './projection.ts';

/** What a watch tells, as the server sends it. */
export type WatchEvent<T extends KubeObject> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: T }
  | {
      readonly type: 'BOOKMARK';
      readonly resourceVersion: string;
      /** Ends the initial events of a watch that asked for them (KEP-3157). */
      readonly initialEventsEnd: boolean;
    };

/**
 * The event in a document, with what is kept of its object.
 *
 * @throws StatusError for an ERROR event: in-band 410 and the like
 * @throws ClientError `InvalidAnswer`
 */
export function parseWatchEvent<T extends KubeObject>(
  type: ResourceType,
  document: unknown,
  projection: Projection,
): WatchEvent<T> {
  const event: JsonObject = isJsonObject(document) ? document : {};
  switch (event.type) {
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED':
      return {
        type: event.type,
        object: parseItem<T>(type, projectValue(event.object, projection)),
      };
    case 'BOOKMARK':
      return parseBookmark(type, event.object);
    case 'ERROR':
      throw new StatusError(parseStatus(event.object, 500));
    default:
      throw new ClientError(
        'InvalidAnswer',
        `Cannot read the watch of ${type.plural}: found type ${JSON.stringify(event.type)}, ` +
          'expected ADDED, MODIFIED, DELETED, BOOKMARK or ERROR',
      );
  }
}

function parseBookmark(type: ResourceType, object: unknown): WatchEvent<never> {
  const metadata = isJsonObject(object) && isJsonObject(object.metadata) ? object.metadata : {};
  const { resourceVersion, annotations } = metadata;
  if (typeof resourceVersion !== 'string') {
    throw new ClientError(
      'InvalidAnswer',
      `Cannot read a bookmark of ${type.plural}: found no resourceVersion, expected one`,
    );
  }
  const initialEventsEnd =
    isJsonObject(annotations) && annotations['k8s.io/initial-events-end'] === 'true';
  return { type: 'BOOKMARK', resourceVersion, initialEventsEnd };
}
