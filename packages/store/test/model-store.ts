import type { Change, ListOptions, Mutation, Page, StoredObject } from '../src/index.ts';

/** What a store should do, written as plainly as possible: it keeps every state there ever was. */
export class ModelStore {
  readonly #changes: Change[] = [];
  #states: ReadonlyMap<string, StoredObject>[] = [new Map(), new Map()];

  get revision(): number {
    return this.#states.length - 1;
  }

  revisionOf(key: string): number {
    return this.#states.at(-1)?.get(key)?.revision ?? 0;
  }

  write(mutations: readonly Mutation[]): readonly number[] | 'conflict' {
    const holds = ({ key, expected }: Mutation): boolean =>
      expected === undefined || expected === this.revisionOf(key);
    if (!mutations.every(holds)) return 'conflict';
    return mutations.map(({ key, value }) => {
      const state = new Map(this.#states.at(-1));
      const before = state.get(key);
      if (value === undefined && before === undefined) return this.revision;
      const revision = this.revision + 1;
      const text = value === undefined ? undefined : JSON.stringify(value);
      if (value === undefined || text === undefined) state.delete(key);
      else state.set(key, { key, revision, value, text });
      this.#states = [...this.#states, state];
      const previous = { previous: before?.value, previousText: before?.text };
      this.#changes.push({ revision, key, value, text, ...previous });
      return revision;
    });
  }

  list(prefix: string, { after = '', limit, atRevision }: ListOptions = {}): Page {
    const revision = atRevision ?? this.revision;
    const all = [...(this.#states[revision]?.values() ?? [])]
      .filter(({ key }) => key.startsWith(prefix) && key > after)
      .sort((a, b) => (a.key < b.key ? -1 : 1));
    const objects = all.slice(0, limit);
    const remaining = all.length - objects.length;
    return { objects, revision, more: remaining > 0, remaining };
  }

  changes(prefix: string, after: number): readonly Change[] {
    return this.#changes.filter(({ key, revision }) => key.startsWith(prefix) && revision > after);
  }
}
