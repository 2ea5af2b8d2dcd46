import { hasCode, isJsonObject } from '@fnlet/base';
import type { ObjectList } from '../answer/object-list.ts';
import { presentList } from '../answer/presentation.ts';
import { badRequest } from '../answer/status-texts.ts';
import { showKept, showList } from '../object/converted-objects.ts';
import { createSelection } from '../object/selection.ts';
import { listObjects } from '../read/list.ts';
import type { ApiResponse } from '../request/api-request.ts';
import { bodyFormat, decodeBody, isDecoded } from '../request/body.ts';
import { noTypeMeta } from '../request/decode-object.ts';
import { type DeleteOptions, parseDeleteOptions } from '../request/delete-options.ts';
import { toDocument } from '../request/json-document.ts';
import { parseListOptions } from '../request/list-options.ts';
import {
  askerOf,
  objectResponse,
  type ResourceRequest,
  respond,
  routeKey,
} from '../request/resource-request.ts';
import type { Resource } from '../resource/resource.ts';
import { deleteObject } from './delete.ts';

/** DELETE of one object: a Status when it is gone, the object when it stays for a while. */
export async function deleteRequest(asked: ResourceRequest): Promise<ApiResponse> {
  const { context, resource, route } = asked;
  const options = await readOptions(asked);
  const { object, isGone } = await deleteObject(context, resource, {
    key: routeKey(route),
    asker: askerOf(asked),
    ...options,
  });
  if (!isGone || showsDeleted(resource)) {
    const [shown = object] = await showKept(resource, [object]);
    return objectResponse(asked, toDocument(shown));
  }
  const { name, uid } = object.metadata;
  const status = {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: { name, ...groupOf(resource), kind: resource.strategy.type.plural, uid },
  };
  return respond(asked, toDocument(status));
}

// Of these kinds kube-apiserver tells what was there (genericregistry, ReturnDeletedObject).
const shownKinds: Readonly<Record<string, readonly string[]>> = {
  '': [
    ...['namespaces', 'persistentvolumeclaims', 'persistentvolumes', 'pods', 'podtemplates'],
    ...['resourcequotas', 'serviceaccounts', 'services'],
  ],
  'resource.k8s.io': [
    'deviceclasses',
    'resourceclaims',
    'resourceclaimtemplates',
    'resourceslices',
  ],
  'storage.k8s.io': [
    ...['csidrivers', 'csinodes', 'storageclasses', 'volumeattachments'],
    'volumeattributesclasses',
  ],
};

function showsDeleted({ strategy: { type } }: Resource): boolean {
  return (
    Object.hasOwn(shownKinds, type.group) && shownKinds[type.group]?.includes(type.plural) === true
  );
}

/** DELETE of all objects that a list would show; answers with that list. */
export async function deleteCollection(asked: ResourceRequest): Promise<ApiResponse> {
  const { context, resource, route, request, presentation } = asked;
  const options = await readOptions(asked);
  const listOptions = parseListOptions(request.query, false);
  const selection = createSelection(resource.kept, route, listOptions);
  const asker = askerOf(asked);
  const list: ObjectList = listObjects(context, resource.kept, { selection, options: listOptions });
  for (const { value } of list.items) {
    const { metadata } = value;
    const key = { namespace: metadata.namespace ?? '', name: metadata.name };
    try {
      await deleteObject(context, resource, { key, asker, ...options });
    } catch (error) {
      // Somebody else was faster: gone is gone.
      if (!hasCode(error, 'NotFound')) throw error;
    }
  }
  return respond(asked, presentList(presentation, await showList(resource, list)));
}

function groupOf(resource: Resource): { group?: string } {
  const { group } = resource.strategy.type;
  return group === '' ? {} : { group };
}

async function readOptions({ request }: ResourceRequest): Promise<DeleteOptions> {
  const { body } = request;
  const isEmpty = body === undefined || (body.kind === 'bytes' && body.bytes.byteLength === 0);
  if (isEmpty) return parseDeleteOptions(request.query, undefined);
  const decoded = await decodeBody(request, bodyFormat(request));
  if (!isDecoded(decoded)) {
    throw badRequest(`couldn't get version/kind; json parse error: ${decoded.malformed}`);
  }
  const isOptions = decoded.value === null || isJsonObject(decoded.value);
  if (!isOptions) throw badRequest(noTypeMeta(decoded.value));
  return parseDeleteOptions(request.query, decoded.value);
}
