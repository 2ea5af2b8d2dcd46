import { assert, isJsonObject, type JsonObject } from '@fnlet/base';

/** A value as it is kept, as text; parsed only when somebody looks into it. */
export class KeptValue {
  readonly text: string;
  #value: JsonObject | undefined;

  constructor(text: string, value?: JsonObject) {
    this.text = text;
    this.#value = value;
  }

  get value(): JsonObject {
    if (this.#value === undefined) {
      const value: unknown = JSON.parse(this.text);
      assert(isJsonObject(value), 'what is kept is an object');
      this.#value = value;
    }
    return this.#value;
  }
}
