import type { JsonSchema } from '@fnlet/machinery';

/** A kind as its OpenAPI document needs it; builtin kinds and CRDs are described alike. */
export interface OpenApiResource {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** Lower-case plural, the segment of the URL. */
  readonly plural: string;
  readonly namespaced: boolean;
  /** The schema of the whole object; absent for a kind about which nothing is known. */
  readonly schema: JsonSchema | undefined;
  /** What may be done with it, in discovery's words: create, delete, get, list, patch, … */
  readonly verbs: readonly string[];
  readonly subresources: { readonly status?: boolean; readonly scale?: boolean };
  /**
   * Whether PATCH takes strategic merge patches. Builtin kinds do and custom ones must not say so,
   * or kubectl sends them a patch type that they refuse. Default: false.
   */
  readonly strategicMergePatch?: boolean;
  /**
   * Where the schemas of the kind and its lists stand, such as `io.k8s.api.apps.v1`. Default: made
   * of group and version.
   */
  readonly namePrefix?: string;
}

/** The names of the schemas that every document shares. */
export const metaNames = {
  deleteOptions: 'io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions',
  listMeta: 'io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta',
  managedFieldsEntry: 'io.k8s.apimachinery.pkg.apis.meta.v1.ManagedFieldsEntry',
  objectMeta: 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta',
  ownerReference: 'io.k8s.apimachinery.pkg.apis.meta.v1.OwnerReference',
  patch: 'io.k8s.apimachinery.pkg.apis.meta.v1.Patch',
  status: 'io.k8s.apimachinery.pkg.apis.meta.v1.Status',
} as const;

/** The name of a kind's schema: `dev.fnlet.v1alpha1.Function`, `io.k8s.api.core.v1.Pod`. */
export function schemaName(type: {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly namePrefix?: string;
}): string {
  const { group, version, kind, namePrefix } = type;
  if (namePrefix !== undefined) return `${namePrefix}.${kind}`;
  if (!group.includes('.')) return `io.k8s.api.${group === '' ? 'core' : group}.${version}.${kind}`;
  return `${group.split('.').reverse().join('.')}.${version}.${kind}`;
}

export function schemaRef(name: string): { readonly $ref: string } {
  return { $ref: `#/components/schemas/${name}` };
}
