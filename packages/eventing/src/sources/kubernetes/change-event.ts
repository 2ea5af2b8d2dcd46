import type { KubernetesSource } from '@fnlet/api';
import type { JsonObject } from '@fnlet/base';
import { type KubeObject, type ResourceType, resourcePath } from '@fnlet/machinery';
import type { CloudEvent } from '../../event/cloud-event.ts';
import { kubernetesLimits } from './limits.ts';
import type { ObjectChange } from './object-selection.ts';

export interface ChangeEventParts {
  readonly change: ObjectChange;
  readonly type: ResourceType;
  readonly content: KubernetesSource['content'];
  /** URI reference of the Trigger. */
  readonly source: string;
  readonly nowMs: number;
}

const typePrefixes = {
  change: 'dev.fnlet.kubernetes',
  // As Knative's ApiServerSource has them.
  object: 'dev.knative.apiserver.resource',
  reference: 'dev.knative.apiserver.ref',
} as const;

/** The same change of the same object is the same event, whoever sees it. */
export function changeEvent(parts: ChangeEventParts): CloudEvent {
  const { change, type, content, source, nowMs } = parts;
  const { apiVersion = '', kind = '', metadata } = change.object;
  const { uid = '', resourceVersion = '', name, namespace } = metadata;
  const place = namespace === undefined ? { name } : { namespace, name };
  return {
    attributes: {
      specversion: '1.0',
      id: `${uid}.${resourceVersion}.${change.kind}`,
      source,
      type: `${typePrefixes[content]}.${change.kind}`,
      subject: resourcePath(type, place),
      time: new Date(nowMs).toISOString(),
      datacontenttype: 'application/json',
      ...{ apiversion: apiVersion, kind, ...place },
    },
    data: Buffer.from(dataOf(change, content)),
  };
}

function dataOf({ object, oldObject }: ObjectChange, content: KubernetesSource['content']): string {
  if (content === 'reference') {
    const { apiVersion, kind, metadata } = object;
    const { namespace, name } = metadata;
    return JSON.stringify({ apiVersion, kind, namespace, name });
  }
  const whole = content === 'object' ? object : { object, oldObject };
  const text = JSON.stringify(whole);
  if (Buffer.byteLength(text) <= kubernetesLimits.dataBytesMax) return text;
  const part = partOf(object);
  if (content === 'object') return JSON.stringify(part);
  return JSON.stringify({
    object: part,
    oldObject: oldObject === undefined ? undefined : partOf(oldObject),
  });
}

/**
 * What is left of an object that is too large: its metadata, and that this is not all. It can be
 * asked for, where a part is not enough. Annotations can be large, too; of those none is left then.
 */
export function partOf(object: KubeObject): KubeObject & JsonObject {
  const part = { ...metadataOf(object), truncated: true };
  if (Buffer.byteLength(JSON.stringify(part)) <= kubernetesLimits.partBytesMax) return part;
  const { annotations: _, ...metadata } = part.metadata;
  return { ...part, metadata };
}

/** What a Trigger sees of an object, and keeps: nobody reads who applied which field. */
export function withoutManagedFields({ metadata, ...rest }: KubeObject): KubeObject {
  const { managedFields: _, ...others } = metadata;
  return { ...rest, metadata: others };
}

/** An object without all else. */
export function metadataOf({ apiVersion, kind, metadata }: KubeObject): KubeObject & JsonObject {
  return { apiVersion, kind, metadata };
}
