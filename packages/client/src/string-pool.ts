/**
 * Short texts that were read lately. The objects of one kind say the same again and again (labels,
 * phases, kinds of owners): one copy serves all, and a text that is known need not be decoded.
 *
 * A text has one place, by its hash; what comes later takes it over. So the pool is bounded, and
 * texts that never come again (uids) cost others their place only for a while.
 */
export class StringPool {
  readonly #texts: (string | undefined)[];
  readonly #mask: number;
  readonly #make: (bytes: Buffer, start: number, end: number) => string;

  /**
   * @param placesLog2 2 to the power of it is how many texts have a place
   * @param make decodes ASCII
   */
  constructor(placesLog2: number, make: (bytes: Buffer, start: number, end: number) => string) {
    this.#texts = new Array<string | undefined>(2 ** placesLog2).fill(undefined);
    this.#mask = 2 ** placesLog2 - 1;
    this.#make = make;
  }

  /** The text of these bytes, all of them ASCII. */
  get(bytes: Buffer, start: number, end: number): string {
    let hash = 0;
    for (let at = start; at < end; at++) hash = (Math.imul(hash, 31) + (bytes[at] ?? 0)) | 0;
    const place = (hash ^ (hash >>> 15)) & this.#mask;
    const known = this.#texts[place];
    if (known?.length === end - start && isText(known, bytes, start)) return known;
    const text = this.#make(bytes, start, end);
    this.#texts[place] = text;
    return text;
  }
}

function isText(text: string, bytes: Buffer, start: number): boolean {
  for (let n = 0; n < text.length; n++) if (text.charCodeAt(n) !== bytes[start + n]) return false;
  return true;
}
