import type { DocumentLine, EventFlow, EventReader } from '../request/event-batches.ts';

/** What an answer is written to, over HTTP/2 or HTTP/1.1. */
interface Outlet {
  write(bytes: Uint8Array): boolean;
  once(event: 'drain', listener: () => void): unknown;
  end(): unknown;
  destroy(): unknown;
}

/** Events as lines, in one piece. */
export function joinLines(batch: readonly DocumentLine[]): Uint8Array {
  const [first] = batch;
  if (first !== undefined && batch.length === 1) return first.line;
  return Buffer.concat(batch.map(({ line }) => line));
}

/**
 * Sends the events of one watch, all that come at once in one piece, as fast as the client takes
 * them. It is all that a waiting watch holds of its answer.
 */
export class EventSender implements EventReader {
  readonly #outlet: Outlet;
  #flow: EventFlow | undefined;

  constructor(outlet: Outlet) {
    this.#outlet = outlet;
  }

  /** Begins; who knows when the client leaves closes the flow. */
  send(flow: (reader: EventReader) => EventFlow): EventFlow {
    const begun = flow(this);
    this.#flow = begun;
    return begun;
  }

  take(batch: readonly DocumentLine[]): boolean {
    try {
      if (this.#outlet.write(joinLines(batch))) return true;
      this.#outlet.once('drain', () => this.#flow?.resume());
    } catch {
      // An event that cannot be written down: whoever still reads must not wait on.
      this.#outlet.destroy();
    }
    return false;
  }

  end(): void {
    this.#outlet.end();
  }
}
