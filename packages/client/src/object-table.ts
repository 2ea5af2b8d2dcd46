import { assert } from '@fnlet/base';
import { type KubeObject, type ObjectKey, objectKey } from '@fnlet/machinery';

type IndexFunction<T> = (object: T) => readonly string[];

/** Objects by namespace and name, and by what index functions say of them. */
export class ObjectTable<T extends KubeObject> {
  readonly #namespaces = new Map<string, Map<string, T>>();
  readonly #indexes: ReadonlyMap<string, Index<T>>;
  #size = 0;

  constructor(indexes: Readonly<Record<string, IndexFunction<T>>>) {
    this.#indexes = new Map(
      Object.entries(indexes).map(([name, valuesOf]) => [name, new Index(valuesOf)]),
    );
  }

  get size(): number {
    return this.#size;
  }

  get({ namespace, name }: ObjectKey): T | undefined {
    return this.#namespaces.get(namespace)?.get(name);
  }

  list(namespace?: string): readonly T[] {
    if (namespace !== undefined) return [...(this.#namespaces.get(namespace)?.values() ?? [])];
    return [...this.#namespaces.values()].flatMap((objects) => [...objects.values()]);
  }

  /** At most `countMax` of the objects, evenly out of all. */
  sample(countMax: number): readonly T[] {
    const step = Math.max(1, Math.ceil(this.#size / countMax));
    const sample: T[] = [];
    let n = 0;
    for (const objects of this.#namespaces.values()) {
      for (const object of objects.values()) if (n++ % step === 0) sample.push(object);
    }
    return sample;
  }

  byIndex(name: string, value: string): readonly T[] {
    const index = this.#indexes.get(name);
    assert(index !== undefined, `index "${name}" is declared`);
    return index.find(value);
  }

  set(object: T): void {
    const { namespace, name } = objectKey(object);
    this.delete({ namespace, name });
    const objects = this.#namespaces.get(namespace) ?? new Map<string, T>();
    this.#namespaces.set(namespace, objects.set(name, object));
    this.#size += 1;
    for (const index of this.#indexes.values()) index.add(object);
  }

  delete({ namespace, name }: ObjectKey): void {
    const objects = this.#namespaces.get(namespace);
    const object = objects?.get(name);
    if (objects === undefined || object === undefined) return;
    objects.delete(name);
    this.#size -= 1;
    if (objects.size === 0) this.#namespaces.delete(namespace);
    for (const index of this.#indexes.values()) index.remove(object);
  }
}

class Index<T> {
  readonly #valuesOf: IndexFunction<T>;
  readonly #objects = new Map<string, Set<T>>();

  constructor(valuesOf: IndexFunction<T>) {
    this.#valuesOf = valuesOf;
  }

  find(value: string): readonly T[] {
    return [...(this.#objects.get(value) ?? [])];
  }

  add(object: T): void {
    for (const value of this.#valuesOf(object)) {
      const objects = this.#objects.get(value) ?? new Set<T>();
      this.#objects.set(value, objects.add(object));
    }
  }

  remove(object: T): void {
    for (const value of this.#valuesOf(object)) {
      const objects = this.#objects.get(value);
      objects?.delete(object);
      if (objects?.size === 0) this.#objects.delete(value);
    }
  }
}
