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
    return shownText(this.#resource, this.#stored) ?? JSON.stringify(this.value);
  }
}

/** A kept text as `resource` shows it; `undefined` where the object must be looked into for that. */
export function shownText(
  { keptHead }: Resource,
  { text, revision }: Pick<StoredObject, 'text' | 'revision'>,
): string | undefined {
  if (keptHead === undefined || !text.startsWith(keptHead)) return undefined;
  return `${keptHead}"resourceVersion":"${revision}",${text.slice(keptHead.length)}`;
}
