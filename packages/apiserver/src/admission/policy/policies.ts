import { jsonEqual } from '@fnlet/base';
import type { KubeObject } from '@fnlet/machinery';
import type { Store } from '@fnlet/store';
import { isKubeObject } from '../../object/object-form.ts';
import { objectsPrefix } from '../../object/object-keys.ts';
import { type Policy, type PolicyBinding, parseBinding } from './policy.ts';

const group = `${objectsPrefix}admissionregistration.k8s.io/`;

/** A policy with the bindings that make it count, of which there is at least one. */
export interface BoundPolicy<P extends Policy<unknown>> {
  readonly policy: P;
  readonly bindings: readonly PolicyBinding[];
}

/** Where policies of one kind and their bindings are kept, and how they are read. */
export interface PolicyKind<P> {
  readonly policies: string;
  readonly bindings: string;
  readonly parse: (object: KubeObject) => P;
}

/**
 * The policies of one kind that count, by name.
 *
 * I1. What is written counts for every request that comes after the write was answered: the store
 *     tells of a change in the turn in which readers first see it.
 * I2. Without policies, asking costs one comparison.
 * I3. A policy is parsed, and compiled, once for as long as it says the same.
 */
export class Policies<P extends Policy<unknown>> {
  readonly #store: Store;
  readonly #leave: () => void;
  readonly #policies: ParsedSpecs<P>;
  readonly #bindings: ParsedSpecs<PolicyBinding>;
  #current: readonly BoundPolicy<P>[] | undefined;

  constructor(store: Store, { policies, bindings, parse }: PolicyKind<P>) {
    this.#store = store;
    this.#policies = new ParsedSpecs(`${group}${policies}/`, parse);
    this.#bindings = new ParsedSpecs(`${group}${bindings}/`, parseBinding);
    const forget = (): void => {
      this.#current = undefined;
    };
    this.#leave = store.subscribe(group, { changed: forget, ended: forget });
  }

  get current(): readonly BoundPolicy<P>[] {
    this.#current ??= this.#read();
    return this.#current;
  }

  close(): void {
    this.#leave();
  }

  #read(): readonly BoundPolicy<P>[] {
    const bindings = Map.groupBy(this.#bindings.read(this.#store), ({ policyName }) => policyName);
    return this.#policies.read(this.#store).flatMap((policy) => {
      const bound = bindings.get(policy.name);
      return bound === undefined ? [] : [{ policy, bindings: bound }];
    });
  }
}

/** What the objects of one kind say, which is parsed anew only where their specs have changed. */
class ParsedSpecs<T> {
  readonly #prefix: string;
  readonly #parse: (object: KubeObject) => T;
  #known: ReadonlyMap<string, { readonly spec: unknown; readonly parsed: T }> = new Map();

  constructor(prefix: string, parse: (object: KubeObject) => T) {
    this.#prefix = prefix;
    this.#parse = parse;
  }

  read(store: Store): readonly T[] {
    const objects = store.list(this.#prefix).objects;
    const entries = objects.flatMap(({ key, value }) => {
      if (!isKubeObject(value)) return [];
      const known = this.#known.get(key);
      const isSame = known !== undefined && jsonEqual(known.spec, value.spec);
      return [[key, isSame ? known : { spec: value.spec, parsed: this.#parse(value) }] as const];
    });
    this.#known = new Map(entries);
    return entries.map(([, { parsed }]) => parsed);
  }
}
