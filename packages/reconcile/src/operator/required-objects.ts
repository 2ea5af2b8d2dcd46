/**
 * Objects that answers of one run have required, beside what the operator watches.
 *
 * I1. They are read from the server, not from a cache: as new as the round that asked for them.
 * I2. At most `requiredObjectsMax` are held; a run that wants more fails.
 */
import type { Client } from '@fnlet/client';
import { formatObjectKey, type KubeObject, objectKey } from '@fnlet/machinery';
import type { Requirement } from '@fnlet/sdk/operator';
import { requiredObjectsMax } from '../limits.ts';
import { ReconcileError } from '../reconcile-error.ts';
import { kindName, resourceTypeOf } from './kind-type.ts';
import { fromList, type ObjectSupply } from './object-set.ts';

export class RequiredObjects {
  readonly #client: Client;
  readonly #home: string;
  /** By kind, then by key. A kind that was asked for is there, even if nothing was found. */
  readonly #found = new Map<string, Map<string, KubeObject>>();
  #count = 0;

  /** @param home the namespace that is meant where none is named */
  constructor(client: Client, home: string) {
    this.#client = client;
    this.#home = home;
  }

  /** What was found of a kind; `undefined` when nobody has asked for it. */
  of(kind: string): ObjectSupply | undefined {
    const found = this.#found.get(kind);
    return found === undefined ? undefined : fromList([...found.values()]);
  }

  /** Reads what is required; an object that is not there is no failure. */
  async fetch(requirements: readonly Requirement[], signal: AbortSignal): Promise<void> {
    for (const requirement of requirements) {
      const name = kindName(requirement.kind);
      const found = this.#found.get(name) ?? new Map<string, KubeObject>();
      this.#found.set(name, found);
      for await (const object of this.#read(requirement, signal)) {
        if (++this.#count > requiredObjectsMax) throw tooMany(name);
        found.set(formatObjectKey(objectKey(object)), object);
      }
    }
  }

  async *#read(
    { kind, key, labels, namespace: where = this.#home }: Requirement,
    signal: AbortSignal,
  ): AsyncGenerator<KubeObject, void, undefined> {
    const objects = this.#client.of<KubeObject>(resourceTypeOf(kind));
    const isNamespaced = kind.scope === 'Namespaced';
    const namespace = isNamespaced ? (key?.namespace ?? where) : '';
    if (key !== undefined) {
      const object = await objects.tryGet({ namespace, name: key.name }, { signal });
      if (object !== undefined) yield object;
      return;
    }
    const place = namespace === '' ? {} : { namespace };
    yield* objects.listAll({ ...place, labelSelector: labels, signal });
  }
}

function tooMany(kind: string): ReconcileError {
  return new ReconcileError(
    'TooManyRequirements',
    `Cannot read more of ${kind}: found over ${requiredObjectsMax} required objects`,
    { remedy: 'Declare the kind in "watches", with a label selector and the fields to keep' },
  );
}
