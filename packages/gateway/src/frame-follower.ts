/** Two octets, eight of length, four of mask. */
const headBytesMax = 14;

const closeOpcode = 0x8;

/**
 * Follows WebSocket frames (RFC 6455 §5.2) while they pass, so that it is known where one of our
 * own may be put between two of them.
 */
export class FrameFollower {
  readonly #head: Uint8Array = new Uint8Array(headBytesMax);
  #headBytes = 0;
  #payloadBytes = 0;
  #closed = false;

  /** Whether all of every frame that has begun is past. */
  get between(): boolean {
    return this.#headBytes === 0 && this.#payloadBytes === 0;
  }

  /** Whether a Close frame has begun; none may follow it (§5.5.1). */
  get closed(): boolean {
    return this.#closed;
  }

  /**
   * Follows the frames in `bytes` from `from` on. Returns their end, or with `onlyFrame` that of the
   * frame in progress where that comes first.
   */
  advance(bytes: Buffer, from: number, onlyFrame: boolean): number {
    let i = from;
    while (i < bytes.length && !(onlyFrame && this.between)) {
      if (this.#payloadBytes > 0) {
        const step = Math.min(this.#payloadBytes, bytes.length - i);
        this.#payloadBytes -= step;
        i += step;
      } else {
        this.#head[this.#headBytes++] = bytes[i++] ?? 0;
        this.#finishHead();
      }
    }
    return i;
  }

  #finishHead(): void {
    const [first = 0, second = 0] = this.#head;
    const short = second & 0x7f;
    const lengthBytes = short === 127 ? 8 : short === 126 ? 2 : 0;
    const maskBytes = (second & 0x80) === 0 ? 0 : 4;
    if (this.#headBytes < 2 || this.#headBytes < 2 + lengthBytes + maskBytes) return;
    let length = lengthBytes === 0 ? short : 0;
    for (const octet of this.#head.subarray(2, 2 + lengthBytes)) length = length * 256 + octet;
    this.#payloadBytes = length;
    this.#headBytes = 0;
    if ((first & 0x0f) === closeOpcode) this.#closed = true;
  }
}
