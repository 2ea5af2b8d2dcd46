import type { Overlay } from './overlay.ts';
import type { TableWrite } from './tables.ts';

/** What goes from the journal to the tables, part by part, in the order of their keys. */
export class Move {
  readonly overlay: Overlay;
  readonly #rows: Iterator<TableWrite, void>;
  /** What was taken, and is not known to be in the tables. */
  #part: TableWrite[] = [];
  #isWhole = false;

  constructor(overlay: Overlay) {
    this.overlay = overlay;
    this.#rows = overlay.all();
  }

  /** Whether nothing is left but what was taken. */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  /** Takes so many rows more; those that `newer` has, too, will come with it. */
  take(count: number, newer: Overlay): readonly TableWrite[] {
    for (let left = count; left > 0; left--) {
      const { done, value } = this.#rows.next();
      if (done === true) {
        this.#isWhole = true;
        break;
      }
      if (newer.get(value.table, value.key) === undefined) this.#part.push(value);
    }
    return this.#part;
  }

  /** What was taken is in the tables. */
  confirm(): void {
    this.#part = [];
  }
}
