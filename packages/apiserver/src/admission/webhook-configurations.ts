import { type JsonObject, jsonEqual } from '@fnlet/base';
import type { Store } from '@fnlet/store';
import { isKubeObject } from '../object/object-form.ts';
import { objectsPrefix } from '../object/object-keys.ts';
import { parseWebhooks, type Webhook } from './webhook.ts';

const group = `${objectsPrefix}admissionregistration.k8s.io/`;
const prefixes = {
  mutating: `${group}mutatingwebhookconfigurations/`,
  validating: `${group}validatingwebhookconfigurations/`,
} as const;

/** The webhooks that there are, in the order in which they are asked: by configuration, by place. */
export interface WebhookSet {
  readonly mutating: readonly Webhook[];
  readonly validating: readonly Webhook[];
}

const none: WebhookSet = { mutating: [], validating: [] };

/**
 * The webhooks that are configured.
 *
 * I1. A configuration counts for every request that comes after its write was answered: the store
 *     tells of a change in the turn in which readers first see it.
 * I2. Without configurations, asking costs one comparison.
 * I3. A configuration is parsed once for as long as it says the same.
 */
export class WebhookConfigurations {
  readonly #store: Store;
  readonly #leave: () => void;
  #parsed: ReadonlyMap<string, Parsed> = new Map();
  #current: WebhookSet | undefined;

  constructor(store: Store) {
    this.#store = store;
    const forget = (): void => {
      this.#current = undefined;
    };
    this.#leave = store.subscribe(group, { changed: forget, ended: forget });
  }

  get current(): WebhookSet {
    this.#current ??= this.#read();
    return this.#current;
  }

  close(): void {
    this.#leave();
  }

  #read(): WebhookSet {
    const parsed = new Map<string, Parsed>();
    const read = (prefix: string): readonly Webhook[] => {
      const found: Webhook[] = [];
      for (const { key, value } of this.#store.list(prefix).objects) {
        const known = this.#parsed.get(key);
        const isSame = known !== undefined && jsonEqual(known.value.webhooks, value.webhooks);
        const entry = isSame ? known : parse(value);
        parsed.set(key, entry);
        found.push(...entry.webhooks);
      }
      return found;
    };
    const set = { mutating: read(prefixes.mutating), validating: read(prefixes.validating) };
    this.#parsed = parsed;
    return set.mutating.length + set.validating.length === 0 ? none : set;
  }
}

interface Parsed {
  readonly value: JsonObject;
  readonly webhooks: readonly Webhook[];
}

function parse(value: JsonObject): Parsed {
  return { value, webhooks: isKubeObject(value) ? parseWebhooks(value) : [] };
}
