import { type Fields, type ObjectOfFields, objectSchema, type SchemaDocument } from './field.ts';
import type { ObjectMeta } from './object.ts';

/** What a conversion gets to see of an object. The status is the same in all versions. */
export interface VersionedObject<Spec> {
  readonly metadata: ObjectMeta;
  readonly spec: Spec;
}

/** An object in another version. */
export interface ConvertedObject<Spec> {
  readonly spec: Spec;
  /** All annotations: room for what the other version cannot say. Default: they stay. */
  readonly annotations?: Readonly<Record<string, string>>;
}

/** A version of a kind that clients still use, and how its objects become those of the newest. */
export interface OlderVersion<F extends Fields, Newest> {
  readonly spec: F;
  /** Said to whoever still uses it, in a warning. Default: nothing is. */
  readonly deprecation?: string;
  /** Both ways must keep all: what goes there and back must be the same. */
  toNewest(object: VersionedObject<ObjectOfFields<F>>): ConvertedObject<Newest>;
  fromNewest(object: VersionedObject<Newest>): ConvertedObject<ObjectOfFields<F>>;
}

/** How objects of a kind get from one of its versions to another: through the newest. */
export interface KindConversion {
  readonly newest: string;
  /** By name. */
  readonly versions: Readonly<Record<string, Conversion>>;
}

/** Both ways between an older version and the newest; the server has checked what it is given. */
export interface Conversion {
  toNewest(object: VersionedObject<unknown>): ConvertedObject<unknown>;
  fromNewest(object: VersionedObject<unknown>): ConvertedObject<unknown>;
}

/** The older versions of a kind by name, each with the fields of its spec. */
export type OlderVersions<O extends Readonly<Record<string, Fields>>, Newest> = {
  readonly [V in keyof O]: OlderVersion<O[V], Newest>;
};

/** An older version as a CustomResourceDefinition holds it; `root` is made for its spec. */
export function olderVersionManifest(
  name: string,
  version: { readonly spec: Fields; readonly deprecation?: string },
  parts: {
    readonly root: (spec: SchemaDocument) => SchemaDocument;
    readonly subresources: SchemaDocument;
    readonly columns: readonly SchemaDocument[];
  },
): SchemaDocument {
  const { spec, deprecation } = version;
  return {
    name,
    served: true,
    storage: false,
    ...(deprecation === undefined ? {} : { deprecated: true, deprecationWarning: deprecation }),
    schema: { openAPIV3Schema: parts.root(objectSchema(spec)) },
    subresources: parts.subresources,
    additionalPrinterColumns: parts.columns,
  };
}
