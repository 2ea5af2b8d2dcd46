import type { Quantity } from '@fnlet/machinery';
import type { CelAccessDecision, CelAuthorizer, CelResourceCheck } from './cel-access.ts';
import type { Cidr, IpAddress } from './ip-address.ts';
import type { Semver } from './semver.ts';

/**
 * A value of a CEL expression: int is a bigint, double a number. Lists and maps read JSON lazily,
 * so that a rule pays only for what it looks at.
 */
export type CelValue = null | boolean | bigint | number | string | Uint8Array | CelTagged;

export type CelTagged =
  | CelList
  | CelMap
  | CelStruct
  | { readonly kind: 'uint'; readonly value: bigint }
  | CelTimestamp
  | CelDuration
  | CelOptional
  | { readonly kind: 'type'; readonly name: string }
  | { readonly kind: 'url'; readonly url: URL; readonly text: string }
  | { readonly kind: 'quantity'; readonly quantity: Quantity }
  | { readonly kind: 'ip'; readonly ip: IpAddress }
  | { readonly kind: 'cidr'; readonly cidr: Cidr }
  | { readonly kind: 'semver'; readonly version: Semver }
  | { readonly kind: 'format'; readonly name: string; check(text: string): readonly string[] }
  | { readonly kind: 'authorizer'; readonly authorizer: CelAuthorizer }
  | { readonly kind: 'pathCheck'; readonly authorizer: CelAuthorizer; readonly path: string }
  | { readonly kind: 'groupCheck'; readonly authorizer: CelAuthorizer; readonly group: string }
  | {
      readonly kind: 'resourceCheck';
      readonly authorizer: CelAuthorizer;
      readonly check: CelResourceCheck;
    }
  | { readonly kind: 'decision'; readonly decision: CelAccessDecision };

export interface CelList {
  readonly kind: 'list';
  readonly size: number;
  /** The item at an index from 0 to size - 1. */
  at(index: number): CelValue;
  /** Set for a list whose order does not matter: what makes two items the same. */
  readonly identity?: ListIdentity;
}

/** `set`: the value itself. Otherwise the fields that are the item's keys. */
export type ListIdentity = 'set' | readonly string[];

export interface CelMap {
  readonly kind: 'map';
  readonly size: number;
  keys(): readonly CelValue[];
  get(key: CelValue): CelValue | undefined;
}

/** What a struct literal constructs. */
export interface CelStruct {
  readonly kind: 'struct';
  /** That of its type. */
  readonly name: string;
  readonly fields: ReadonlyMap<string, CelValue>;
}

export interface CelTimestamp {
  readonly kind: 'timestamp';
  /** Nanoseconds since the Unix epoch. */
  readonly nanos: bigint;
}

export interface CelDuration {
  readonly kind: 'duration';
  readonly nanos: bigint;
}

export interface CelOptional {
  readonly kind: 'optional';
  /** `undefined` when it holds nothing. */
  readonly value: CelValue | undefined;
}

export const celNone: CelOptional = { kind: 'optional', value: undefined };

export function celList(items: readonly CelValue[]): CelList {
  return { kind: 'list', size: items.length, at: (index) => items[index] ?? null };
}

/** A map from its entries; a later entry of the same key wins. */
export function celMap(entries: readonly (readonly [CelValue, CelValue])[]): CelMap {
  const byKey = new Map(entries.map((entry) => [mapKey(entry[0]), entry]));
  return {
    kind: 'map',
    size: byKey.size,
    keys: () => [...byKey.values()].map(([key]) => key),
    get: (key) => byKey.get(mapKey(key))?.[1],
  };
}

/** Equal keys have equal texts; 1, 1u and 1.0 are one key. */
export function mapKey(key: CelValue): string {
  if (typeof key === 'string') return `s${key}`;
  if (typeof key === 'boolean') return `b${key}`;
  if (typeof key === 'bigint' || typeof key === 'number') return `n${key}`;
  if (key !== null && 'kind' in key && key.kind === 'uint') return `n${key.value}`;
  return `x${celKind(key)}`;
}

/** The items of a list in an array. */
export function celItems(list: CelList): readonly CelValue[] {
  return Array.from({ length: list.size }, (_, index) => list.at(index));
}

/** The name of a value's type, as error texts print it. */
export function celKind(value: CelValue): string {
  if (value === null) return 'null_type';
  switch (typeof value) {
    case 'boolean':
      return 'bool';
    case 'bigint':
      return 'int';
    case 'number':
      return 'double';
    case 'string':
      return 'string';
    default:
      if (!('kind' in value)) return 'bytes';
      return value.kind === 'struct' ? value.name : value.kind;
  }
}
