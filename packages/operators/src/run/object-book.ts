/**
 * What one operator knows of each of its objects: whether anything is left to do, what its last run
 * came to, and when it is due.
 *
 * I1. Counts are kept with every change: nobody adds up objects to tell them.
 * I2. What fails has a trouble; what has one, and does not fail, is kept from its end by others.
 */

/** How far an object is. */
export type ObjectState = 'waiting' | 'settled' | 'failing';

/** What is known of the last run for an object. */
export interface LastRun {
  /** Of its record, which may be gone. */
  readonly id: string;
  readonly atMs: number;
  readonly reason: string;
  readonly outcome: string;
  readonly tookMs: number;
  readonly writes: readonly string[];
  readonly error?: { readonly reason: string; readonly message: string };
}

/** What keeps an object from its end. */
export interface ObjectTrouble {
  /** The object, `namespace/name`. */
  readonly object: string;
  readonly message: string;
}

/** Changes that were no reason to run. */
export interface HeldChanges {
  readonly count: number;
  readonly lastMs: number;
  /** What the last of them has changed. */
  readonly parts: readonly string[];
}

/** What is known of an object, for whoever asks. */
export interface KnownObject {
  readonly state: ObjectState;
  /** Milliseconds since the epoch. */
  readonly dueMs: number | undefined;
  readonly last: LastRun | undefined;
  readonly trouble: ObjectTrouble | undefined;
  /** Those since the last run began. */
  readonly held: HeldChanges | undefined;
}

/** Of most objects, after a start, it is only known that they are settled: these share an entry. */
const plain: Readonly<Record<ObjectState, KnownObject>> = {
  waiting: plainly('waiting'),
  settled: plainly('settled'),
  failing: plainly('failing'),
};

export class ObjectBook {
  readonly #entries = new Map<string, KnownObject>();
  /** Of them, those that have a trouble, the oldest first. */
  readonly #troubles = new Map<string, ObjectTrouble>();
  readonly #counts = { waiting: 0, settled: 0, failing: 0 };

  get settled(): number {
    return this.#counts.settled;
  }

  get failing(): number {
    return this.#counts.failing;
  }

  /** Those that do not fail, but that somebody else keeps from their end. */
  get blocked(): number {
    return this.#troubles.size - this.failing;
  }

  /** One of the troubles, the same as long as it lasts. */
  get trouble(): ObjectTrouble | undefined {
    const [first] = this.#troubles.values();
    return first;
  }

  get(uid: string): KnownObject | undefined {
    return this.#entries.get(uid);
  }

  /** Whether the object was looked at since the start. */
  has(uid: string): boolean {
    return this.#entries.has(uid);
  }

  note(
    uid: string,
    state: ObjectState,
    more: Partial<Pick<KnownObject, 'dueMs' | 'last' | 'trouble'>> = {},
  ): void {
    const before = this.#entries.get(uid);
    if (before !== undefined) this.#counts[before.state] -= 1;
    this.#counts[state] += 1;
    const { dueMs, last = before?.last, trouble } = more;
    this.#entries.set(uid, entryOf({ state, dueMs, last, trouble, held: before?.held }));
    if (trouble === undefined) this.#troubles.delete(uid);
    else this.#troubles.set(uid, trouble);
  }

  /** A run has begun: what was held back until now is in it. */
  begin(uid: string): void {
    const entry = this.#entries.get(uid);
    if (entry?.held !== undefined) this.#entries.set(uid, entryOf({ ...entry, held: undefined }));
  }

  /** It has changed; whether that is a reason to run is seen by whether one begins. */
  hold(uid: string, lastMs: number, parts: readonly string[]): void {
    const entry = this.#entries.get(uid);
    if (entry === undefined) return;
    const held = { count: (entry.held?.count ?? 0) + 1, lastMs, parts };
    this.#entries.set(uid, { ...entry, held });
  }

  forget(uid: string): void {
    const entry = this.#entries.get(uid);
    if (entry === undefined) return;
    this.#counts[entry.state] -= 1;
    this.#entries.delete(uid);
    this.#troubles.delete(uid);
  }

  /** When the first of them is due; `undefined` when none has asked for it. */
  nextDueMs(): number | undefined {
    let next: number | undefined;
    for (const { dueMs } of this.#entries.values()) {
      if (dueMs !== undefined && (next === undefined || dueMs < next)) next = dueMs;
    }
    return next;
  }
}

function entryOf(entry: KnownObject): KnownObject {
  const { state, dueMs, last, trouble, held } = entry;
  const isPlain = (dueMs ?? last ?? trouble ?? held) === undefined;
  return isPlain ? plain[state] : entry;
}

function plainly(state: ObjectState): KnownObject {
  return { state, dueMs: undefined, last: undefined, trouble: undefined, held: undefined };
}
