/**
 * What the store remembers of the definitions that Fnlet brings: which build looked after them,
 * and at which revision each then stood. A start of the same build that finds those revisions knows
 * that nobody has touched them since, and neither loads nor reads a definition: however many kinds
 * Fnlet brings, they cost it one small value.
 *
 * I1. What it names stood as the build wants it, at the revision that it names.
 * I2. Whoever changes or deletes a definition moves its revision, and thereby asks for a new look.
 */
import { definitionRevision } from '@fnlet/apiserver';
import { isJsonObject } from '@fnlet/base';
import type { Store } from '@fnlet/store';

const place = 'server/kinds';

export interface KindsRecordOptions {
  readonly store: Store;
  /** The build that runs; without one nothing is taken for granted. */
  readonly build: string | undefined;
}

/** The record of one store, as the build that runs sees it. */
export class KindsRecord {
  readonly #store: Store;
  readonly #build: string | undefined;

  constructor({ store, build }: KindsRecordOptions) {
    this.#store = store;
    this.#build = build;
  }

  /** Whether all definitions are as this build left them. */
  holds(): boolean {
    if (this.#build === undefined) return false;
    const { build, revisions } = this.#store.get(place)?.value ?? {};
    if (build !== this.#build || !isJsonObject(revisions)) return false;
    return Object.entries(revisions).every(
      ([name, revision]) => definitionRevision(this.#store, name) === revision,
    );
  }

  /**
   * Notes the definitions that `bringInOrder` names, if there was nothing to bring: what has just
   * been written may have been changed by somebody else meanwhile.
   *
   * @returns whether this is done with: they are noted, or there is no build to note them for
   */
  async note(bringInOrder: () => Promise<readonly string[]>): Promise<boolean> {
    const { revision } = this.#store;
    const names = await bringInOrder();
    if (this.#build === undefined) return true;
    const found = names.map((name) => [name, definitionRevision(this.#store, name)] as const);
    if (found.some(([, at]) => at === 0 || at > revision)) return false;
    const value = { build: this.#build, revisions: Object.fromEntries(found) };
    await this.#store.write([{ key: place, value, expected: undefined }]);
    return true;
  }
}
