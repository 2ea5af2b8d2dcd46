import type { WatchEvent } from '../request/api-request.ts';
import type { DocumentLine } from '../request/event-batches.ts';
import { type DocumentSource, LazyDocument } from '../request/json-document.ts';

/** One event as watches of the same form send it: made once for all of them. */
export class EventDocument implements DocumentLine {
  readonly #document: LazyDocument<WatchEvent>;
  #line: Uint8Array | undefined;

  constructor(source: DocumentSource<WatchEvent>) {
    this.#document = new LazyDocument(source);
  }

  /** The event for callers in this process. */
  get value(): WatchEvent {
    return this.#document.value;
  }

  /** The event as a line of JSON. */
  get line(): Uint8Array {
    this.#line ??= Buffer.from(`${this.#document.text}\n`);
    return this.#line;
  }
}
