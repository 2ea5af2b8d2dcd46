import type { ObjectMeta, OwnerReference } from '@fnlet/machinery';

export type { ObjectMeta, OwnerReference };

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
