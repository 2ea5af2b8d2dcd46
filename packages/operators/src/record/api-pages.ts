/**
 * Pages as ConfigMaps, for replicas of a hub that have nothing in common but the API: what one has
 * settled, whoever takes its keys over does not run again.
 *
 * I1. Nothing is watched: a replica reads all pages when it starts, and when keys have moved. What
 *     others write meanwhile is about keys that are not its own.
 * I2. A write names the version that it was decided on. When another replica was faster, it is
 *     decided again on what that has written.
 */
import { hasCode, isJsonObject, type JsonObject, sha256 } from '@fnlet/base';
import type { Client, ResourceClient } from '@fnlet/client';
import type { KubeObject, ObjectKey } from '@fnlet/machinery';
import { HubError } from '../hub-error.ts';
import { pageTriesMax, pageWritesAtOnce, sharedFlushMs } from '../limits.ts';
import type { PageChange, PageStore } from './page-store.ts';

/** The label of ConfigMaps with pages; its value says whose. */
export const recordsLabel = 'fnlet.dev/records';

export interface ApiPagesOptions {
  /** It may get, list, create, update and delete ConfigMaps of that namespace. */
  readonly client: Client;
  /** Where the pages are, and what their names begin with: the same for all replicas. */
  readonly group: ObjectKey;
}

interface PageMap extends KubeObject {
  readonly data?: JsonObject;
}

/** A page, and the object that it is in. */
interface HeldPage {
  readonly key: string;
  readonly map: PageMap;
  readonly value: JsonObject;
}

export class ApiPages implements PageStore {
  readonly flushMs: number = sharedFlushMs;
  readonly #maps: ResourceClient<PageMap>;
  readonly #group: ObjectKey;
  #pages = new Map<string, HeldPage>();
  #reading: Promise<void> | undefined;
  /** Those that were written since the reading began: what is read of them may be older. */
  #written = new Set<string>();

  constructor({ client, group }: ApiPagesOptions) {
    const type = { group: '', version: 'v1', kind: 'ConfigMap', plural: 'configmaps' };
    this.#maps = client.of<PageMap>({ ...type, namespaced: true });
    this.#group = group;
  }

  read(key: string): JsonObject | undefined {
    return this.#pages.get(key)?.value;
  }

  keys(prefix: string): readonly string[] {
    return [...this.#pages.keys()].filter((key) => key.startsWith(prefix));
  }

  // I1: whoever asks while it is being read may have missed what was read already.
  async refresh(): Promise<void> {
    const before = this.#reading;
    const reading = (async () => {
      await before?.catch(() => undefined);
      await this.#readAll();
    })();
    this.#reading = reading;
    await reading;
  }

  async write(changes: ReadonlyMap<string, PageChange>): Promise<void> {
    const left = [...changes];
    const work = async (): Promise<void> => {
      for (let next = left.pop(); next !== undefined; next = left.pop())
        await this.#change(...next);
    };
    const results = await Promise.allSettled(Array.from({ length: pageWritesAtOnce }, work));
    for (const result of results) if (result.status === 'rejected') throw result.reason;
  }

  async #readAll(): Promise<void> {
    const { namespace, name } = this.#group;
    const found = new Map<string, HeldPage>();
    const written = new Set<string>();
    this.#written = written;
    const labelSelector = `${recordsLabel}=${name}`;
    for await (const map of this.#maps.listAll({ namespace, labelSelector })) {
      const held = heldOf(map);
      if (held !== undefined) found.set(held.key, held);
    }
    for (const key of written) {
      const own = this.#pages.get(key);
      if (own === undefined) found.delete(key);
      else found.set(key, own);
    }
    this.#pages = found;
  }

  // I2
  async #change(key: string, change: PageChange): Promise<void> {
    for (let attempt = 1; attempt <= pageTriesMax; attempt++) {
      const known = this.#pages.get(key);
      const value = change(known?.value);
      if (value === known?.value) return;
      try {
        this.#hold(key, await this.#put(key, known?.map, value));
        return;
      } catch (error) {
        if (!races.some((code) => hasCode(error, code))) throw error;
        this.#hold(key, await this.#maps.tryGet(this.#placeOf(key)));
      }
    }
    const found = `found another version ${pageTriesMax} times`;
    throw new HubError(
      'RecordsContended',
      `Cannot keep "${key}": ${found}, expected the one read`,
      {
        retry: 'later',
      },
    );
  }

  async #put(
    key: string,
    known: PageMap | undefined,
    value: JsonObject | undefined,
  ): Promise<PageMap | undefined> {
    const place = this.#placeOf(key);
    if (value === undefined) {
      const { uid, resourceVersion } = known?.metadata ?? {};
      await this.#maps.delete(place, { preconditions: { uid, resourceVersion } });
      return undefined;
    }
    const data = { ...value, key };
    if (known !== undefined) return this.#maps.update({ ...known, data });
    const metadata = { ...place, labels: { [recordsLabel]: this.#group.name } };
    return this.#maps.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data });
  }

  #hold(key: string, map: PageMap | undefined): void {
    const held = map === undefined ? undefined : heldOf(map);
    this.#written.add(key);
    if (held === undefined) this.#pages.delete(key);
    else this.#pages.set(key, held);
  }

  #placeOf(key: string): ObjectKey {
    const { namespace, name } = this.#group;
    return { namespace, name: `${name}-${sha256(key).slice(0, 20)}` };
  }
}

/** How it is told that another replica was faster. */
const races = ['Conflict', 'AlreadyExists', 'NotFound'] as const;

function heldOf(map: PageMap): HeldPage | undefined {
  if (!isJsonObject(map.data) || typeof map.data.key !== 'string') return undefined;
  const { key, ...value } = map.data;
  return { key, map, value };
}
