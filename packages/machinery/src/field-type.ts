/**
 * How a value is merged and who can own which part of it: the schema of server-side apply
 * (KEP-555), reduced to what merging needs. A tree by value; recursion goes through `lazy`.
 */
export type FieldType =
  /** A leaf: owned and replaced as a whole. */
  | { readonly kind: 'scalar' }
  /** An object. `granular`: each field has its own owner. `atomic`: a leaf. */
  | {
      readonly kind: 'map';
      readonly relationship: 'granular' | 'atomic';
      readonly fields: Readonly<Record<string, FieldType>>;
      /** The type of every field that is not in `fields`; absent when there are no others. */
      readonly element?: FieldType;
    }
  | {
      readonly kind: 'list';
      /** `atomic`: a leaf. `set`: items own themselves by value. `map`: by their `keys`. */
      readonly relationship: 'atomic' | 'set' | 'map';
      readonly element: FieldType;
      readonly keys: readonly string[];
      /** Values that a missing key stands for, such as `protocol: TCP`. */
      readonly keyDefaults: Readonly<Record<string, unknown>>;
    }
  /** No schema: deduced from the value. Objects are granular, lists atomic. */
  | { readonly kind: 'deduced' }
  | { readonly kind: 'lazy'; readonly type: () => FieldType };
