/**
 * A JSON value on its way out: callers in this process take the value, the wire takes the text.
 * Either may be made only when somebody asks for it.
 */
export interface JsonDocument<T = unknown> {
  readonly value: T;
  readonly text: string;
}

/** How the value or its text can be had; the text is that of the value when there is no other. */
export interface DocumentSource<T> {
  readonly value: () => T;
  readonly text?: (() => string | undefined) | undefined;
}

/** A document that is made once, whoever asks and how often. */
export class LazyDocument<T = unknown> implements JsonDocument<T> {
  readonly #source: DocumentSource<T>;
  #value: T | undefined;
  #text: string | undefined;

  constructor(source: DocumentSource<T>) {
    this.#source = source;
  }

  get value(): T {
    this.#value ??= this.#source.value();
    return this.#value;
  }

  get text(): string {
    this.#text ??= this.#source.text?.() ?? JSON.stringify(this.value);
    return this.#text;
  }
}

/** The document of a value that is there already. */
export function toDocument<T>(value: T): JsonDocument<T> {
  return new LazyDocument({ value: () => value });
}
