import type { JsonObject } from '@fnlet/base';

/**
 * What was told of events, so that who follows them can go on elsewhere: from the last moment that
 * was told, without what was told of that moment.
 */
export class ToldEvents {
  #lastMs: number | undefined;
  /** What was told of the last moment. */
  #texts = new Set<string>();

  /** From when on to ask; `undefined`: nothing was told yet. */
  get sinceMs(): number | undefined {
    return this.#lastMs;
  }

  /** Whether a line is new; it counts as told from then on. */
  take(line: JsonObject): boolean {
    const timeMs = Date.parse(String(line.time));
    // What was missed has no time.
    if (Number.isNaN(timeMs)) return true;
    const text = JSON.stringify(line);
    if (this.#lastMs === timeMs && this.#texts.has(text)) return false;
    if (this.#lastMs === undefined || timeMs > this.#lastMs) {
      this.#lastMs = timeMs;
      this.#texts.clear();
    }
    if (timeMs === this.#lastMs) this.#texts.add(text);
    return true;
  }
}
