/** Bytes that come in chunks of any size, read in pieces of the reader's choice. */
export class ByteReader {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #rest: Uint8Array = new Uint8Array();

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** Exactly so many bytes; `undefined` where there are none at all any more. */
  async read(length: number): Promise<Buffer | undefined> {
    const parts: Uint8Array[] = [];
    for await (const part of this.pieces(length)) parts.push(part);
    const bytes = Buffer.concat(parts);
    return bytes.length === 0 && length > 0 ? undefined : bytes;
  }

  /** Reads to the end what nobody wants. */
  async skipRest(): Promise<void> {
    this.#rest = new Uint8Array();
    while ((await this.#chunks.next()).done !== true);
  }

  /**
   * So many bytes, as they come; nothing where there are none at all any more.
   *
   * @throws Error when they end in between
   */
  async *pieces(length: number): AsyncGenerator<Uint8Array> {
    let left = length;
    while (left > 0) {
      if (this.#rest.length === 0) {
        const next = await this.#chunks.next();
        if (next.done === true) {
          if (left === length) return;
          throw new Error(`it ends ${left} bytes too early`);
        }
        this.#rest = next.value;
        continue;
      }
      const piece = this.#rest.subarray(0, left);
      this.#rest = this.#rest.subarray(piece.length);
      left -= piece.length;
      yield piece;
    }
  }
}
