/** Metadata as the API gives it. Times are RFC 3339. */
export interface ObjectMeta {
  readonly name: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  /** Moves with every change of what the user asked for (kinds with a spec). */
  readonly generation?: number;
  readonly creationTimestamp?: string;
  /** Set while the object is being deleted. */
  readonly deletionTimestamp?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly ownerReferences?: readonly OwnerReference[];
}

/** Whose an object is: with its last owner it is deleted. */
export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}

/** What every object has. */
export interface ObjectShape {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
}

/** What is wanted of an object's metadata: what it is called, and what is written on it. */
export interface WantedMeta {
  readonly name: string;
  /** Default: the namespace of the object that it belongs to. */
  readonly namespace?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** Any part of a value, however deep; lists are whole. */
export type PartOf<T> = T extends readonly (infer Item)[]
  ? readonly PartOf<Item>[]
  : T extends object
    ? { readonly [K in keyof T]?: PartOf<T[K]> }
    : T;

/**
 * What is wanted of an object: only the fields that are set are owned and kept that way, all
 * others are left to whoever sets them (server-side apply).
 */
export type Wanted<T extends ObjectShape> = Pick<T, 'apiVersion' | 'kind'> & {
  readonly metadata: WantedMeta;
} & PartOf<Omit<T, 'apiVersion' | 'kind' | 'metadata' | 'status'>>;
