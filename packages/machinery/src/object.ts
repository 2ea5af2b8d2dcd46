import type { JsonObject } from '@fnlet/base';

/** A link from a dependent to the object that it lives and dies with. */
export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}

/** Who wrote which fields, and how (KEP-555, server-side apply). */
export interface ManagedFieldsEntry {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  readonly time?: string;
  readonly fieldsType: 'FieldsV1';
  readonly fieldsV1: JsonObject;
  readonly subresource?: string;
}

/** Metadata that every object carries; times are RFC 3339 strings. */
export interface ObjectMeta {
  readonly name: string;
  readonly namespace?: string;
  readonly generateName?: string;
  readonly uid?: string;
  /** The store's counter at the object's last write, as decimal text. */
  readonly resourceVersion?: string;
  /** Moves with every change of what the user asked for (kinds with a spec). */
  readonly generation?: number;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly deletionGracePeriodSeconds?: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly ownerReferences?: readonly OwnerReference[];
  readonly finalizers?: readonly string[];
  readonly managedFields?: readonly ManagedFieldsEntry[];
}

/** Any Kubernetes object. Typed kinds extend it. */
export interface KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly [field: string]: unknown;
}

/** The name of an object within its kind. Cluster-scoped objects have an empty namespace. */
export interface ObjectKey {
  readonly namespace: string;
  readonly name: string;
}

/** `namespace/name`, or just `name` for cluster-scoped objects: the text form of an ObjectKey. */
export function formatObjectKey(key: ObjectKey): string {
  return key.namespace === '' ? key.name : `${key.namespace}/${key.name}`;
}

/** The inverse of {@link formatObjectKey}. */
export function parseObjectKey(text: string): ObjectKey {
  const slash = text.indexOf('/');
  return slash < 0
    ? { namespace: '', name: text }
    : { namespace: text.slice(0, slash), name: text.slice(slash + 1) };
}

/** Namespace and name of an object; the namespace is empty for one of the whole cluster. */
export function objectKey(object: KubeObject): ObjectKey {
  return { namespace: object.metadata.namespace ?? '', name: object.metadata.name };
}

/** `group/version`, or just `version` for the core group. */
export function formatApiVersion(gv: { readonly group: string; readonly version: string }): string {
  return gv.group === '' ? gv.version : `${gv.group}/${gv.version}`;
}

/** A kind as Go shows it (schema.GroupVersionKind): `apps/v1, Kind=Deployment`, `/v1, Kind=Pod`. */
export function formatGroupVersionKind(apiVersion: string, kind: string): string {
  const slash = apiVersion.includes('/') ? '' : '/';
  return `${slash}${apiVersion}, Kind=${kind}`;
}

/** The reverse of {@link formatApiVersion}; any text is taken. */
export function parseApiVersion(apiVersion: string): { group: string; version: string } {
  const slash = apiVersion.indexOf('/');
  return slash < 0
    ? { group: '', version: apiVersion }
    : { group: apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) };
}

/**
 * How a kind is addressed: everything that a client or the API server must know to build its URLs.
 */
export interface ResourceType {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** Lower-case plural, the segment of the URL. */
  readonly plural: string;
  readonly namespaced: boolean;
}

/** The URL path of a collection, an object, or a subresource of it. */
export function resourcePath(
  type: ResourceType,
  target: { readonly namespace?: string; readonly name?: string; readonly subresource?: string },
): string {
  const { group, version, plural, namespaced } = type;
  const segments = group === '' ? ['api', version] : ['apis', group, version];
  if (namespaced && target.namespace !== undefined && target.namespace !== '') {
    segments.push('namespaces', target.namespace);
  }
  segments.push(plural);
  if (target.name !== undefined) segments.push(target.name);
  if (target.subresource !== undefined) segments.push(target.subresource);
  return `/${segments.map(encodeURIComponent).join('/')}`;
}
