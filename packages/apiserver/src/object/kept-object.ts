import type { KubeObject } from '@fnlet/machinery';
import type { StoredObject } from '@fnlet/store';
import type { JsonDocument } from '../request/json-document.ts';
import type { Resource } from '../resource/resource.ts';
import { fromStore } from './object-form.ts';

/**
 * An object as it was read from the store, in the version of a resource: looked into when somebody
 * asks for the object, and written out from the kept text where that says the same.
 */
export class KeptObject implements JsonDocument<KubeObject> {
  readonly #resource: Resource;
  readonly #stored: Omit<StoredObject, 'key'>;
  #object: KubeObject | undefined;

  constructor(resource: Resource, stored: Omit<StoredObject, 'key'>) {
    this.#resource = resource;
    this.#stored = stored;
  }

  get value(): KubeObject {
    this.#object ??= fromStore(this.#resource, this.#stored.value, this.#stored.revision);
    return this.#object;
  }

  get text(): string {
    const { keptHead } = this.#resource;
    const { text, revision } = this.#stored;
    if (keptHead === undefined || !text.startsWith(keptHead)) return JSON.stringify(this.value);
    return `${keptHead}"resourceVersion":"${revision}",${text.slice(keptHead.length)}`;
  }
}
