/**
 * The settled objects of all operators, in pages: by which of them an object is in says its uid.
 *
 * I1. What was changed is seen at once, and written a little later, together with what else was.
 * I2. A page is about one version of its operator: what is found in one of another version is
 *     nothing, and the first write replaces it.
 * I3. What could not be written waits on: who flushes hears of it.
 */
import {
  type Clock,
  errorMessage,
  type JsonObject,
  type Logger,
  sha256,
  type Timer,
} from '@fnlet/base';
import { settledPageDigits } from '../limits.ts';
import type { PageChange, PageStore } from './page-store.ts';
import {
  changePage,
  findSettled,
  isPage,
  type SettledEntry,
  settledDigest,
} from './settled-page.ts';

/** An object of a version of an operator. */
export interface SettledPlace {
  readonly operatorUid: string;
  readonly version: string;
  readonly uid: string;
}

export interface SettledPagesOptions {
  readonly store: PageStore;
  readonly clock: Clock;
  readonly logger: Logger;
}

interface Changes {
  /** `undefined`: the page goes. */
  readonly version: string | undefined;
  readonly entries: Map<string, SettledEntry | undefined>;
}

const prefix = 'page/';

export class SettledPages {
  readonly #options: SettledPagesOptions;
  #fresh: Promise<boolean> | undefined;
  #waiting = new Map<string, Changes>();
  #writing: ReadonlyMap<string, Changes> = new Map();
  #timer: Timer | undefined;
  #flushing: Promise<void> = Promise.resolve();

  constructor(options: SettledPagesOptions) {
    this.#options = options;
  }

  /**
   * Whether what is found is as new as the last move of keys among replicas; waits until that is
   * known. If not, nothing that is found is to be believed.
   */
  isFresh(): Promise<boolean> {
    this.#fresh ??= this.#refresh();
    return this.#fresh;
  }

  /** Keys have moved: others may have written what this replica goes by from now on. */
  moved(): void {
    this.#fresh = this.#refresh();
  }

  // I1, I2
  find(place: SettledPlace): SettledEntry | undefined {
    const key = keyOf(place);
    const id = settledDigest(place.uid);
    for (const changes of [this.#waiting.get(key), this.#writing.get(key)]) {
      if (changes?.version === place.version && changes.entries.has(id)) {
        return changes.entries.get(id);
      }
    }
    return findSettled(recordsOf(this.#options.store.read(key), place.version), id);
  }

  /** `undefined`: it is not settled any more. */
  set(place: SettledPlace, entry: SettledEntry | undefined): void {
    const key = keyOf(place);
    const { version } = place;
    const known = this.#waiting.get(key);
    const changes = known?.version === version ? known : { version, entries: new Map() };
    changes.entries.set(settledDigest(place.uid), entry);
    this.#change(key, changes);
  }

  /** Forgets what is known about other versions of an operator: it is not believed again. */
  turnTo(operatorUid: string, version: string): void {
    const { store } = this.#options;
    for (const key of store.keys(`${prefix}${operatorUid}/`)) {
      const isOther = store.read(key)?.version !== version;
      if (isOther) this.#change(key, { version, entries: new Map() });
    }
  }

  /** Forgets all that is known of operators that are no more. */
  async dropUnknown(isKnown: (operatorUid: string) => boolean): Promise<void> {
    if (!(await this.isFresh())) return;
    for (const key of this.#options.store.keys(prefix)) {
      const isGone = !isKnown(key.split('/')[1] ?? '');
      if (isGone) this.#change(key, { version: undefined, entries: new Map() });
    }
  }

  /**
   * Has everything written that waits.
   *
   * @throws whatever the store throws; what could not be written is tried again (I3)
   */
  flush(): Promise<void> {
    const flushed = this.#flushing.then(() => this.#write());
    this.#flushing = flushed.catch(() => undefined);
    return flushed;
  }

  /** Writes what waits, and no more. */
  async close(): Promise<void> {
    this.#timer?.cancel();
    this.#timer = undefined;
    await this.flush().catch(() => undefined);
  }

  async #refresh(): Promise<boolean> {
    const { store, logger } = this.#options;
    try {
      await store.refresh();
      return true;
    } catch (error) {
      // Who is not known as settled is run.
      logger.warn('Cannot read what operators know', { error: errorMessage(error) });
      this.#fresh = undefined;
      return false;
    }
  }

  #change(key: string, changes: Changes): void {
    this.#waiting.set(key, changes);
    const { store, clock } = this.#options;
    this.#timer ??= clock.after(store.flushMs, () => {
      this.#timer = undefined;
      this.flush().catch(() => undefined);
    });
  }

  async #write(): Promise<void> {
    if (this.#waiting.size === 0) return;
    const batch = this.#waiting;
    this.#waiting = new Map();
    this.#writing = batch;
    const { store, logger } = this.#options;
    try {
      await store.write(new Map([...batch].map(([key, changes]) => [key, pageChange(changes)])));
    } catch (error) {
      logger.warn('Cannot keep what operators know', { error: errorMessage(error) });
      this.#putBack(batch);
      throw error;
    } finally {
      this.#writing = new Map();
    }
  }

  // I3
  #putBack(batch: ReadonlyMap<string, Changes>): void {
    for (const [key, changes] of batch) {
      const newer = this.#waiting.get(key);
      if (newer === undefined) this.#waiting.set(key, changes);
      else if (newer.version === changes.version) {
        const entries = new Map([...changes.entries, ...newer.entries]);
        this.#waiting.set(key, { version: newer.version, entries });
      }
    }
  }
}

function keyOf({ operatorUid, uid }: SettledPlace): string {
  return `${prefix}${operatorUid}/${sha256(uid).slice(0, settledPageDigits)}`;
}

function pageChange({ version, entries }: Changes): PageChange {
  return (page) => {
    if (version === undefined) return undefined;
    const before = recordsOf(page, version);
    const records = changePage(before, entries);
    if (records === before && (page === undefined || page.version === version)) return page;
    return records === '' ? undefined : { version, records };
  };
}

/** What a page says of this version. */
function recordsOf(page: JsonObject | undefined, version: string): string {
  return page?.version === version && isPage(page.records) ? page.records : '';
}
