/**
 * Headers as the Fetch standard has them, without Node's fetch behind: loading that costs 20 ms and
 * 13 MB, and most functions never need it. Takes the place of the global `Headers`.
 *
 * I1. Names are in lower case, values trimmed; what a native Headers refuses is refused.
 * I2. Values of one name are kept apart only for set-cookie; others are joined with `, `.
 */
export class WebHeaders implements Iterable<[string, string]> {
  // Lower-case name to value; set-cookie lives in its own list.
  #values: Record<string, string> = Object.create(null);
  #cookies: string[] = [];

  constructor(init?: unknown) {
    if (init === undefined) return;
    if (typeof init !== 'object' || init === null) throw invalid('init', init);
    const entries = isIterable(init) ? init : Object.entries(init);
    for (const entry of entries) {
      const [name, value, ...rest] = isIterable(entry) ? [...entry] : [];
      if (name === undefined || value === undefined || rest.length > 0) throw invalid('init', init);
      this.append(String(name), String(value));
    }
  }

  /** From names and values that an HTTP parser has checked, as in `IncomingMessage.rawHeaders`. */
  static fromRaw(raw: readonly string[]): WebHeaders {
    const headers = new WebHeaders();
    for (let i = 0; i + 1 < raw.length; i += 2) {
      headers.#append((raw[i] ?? '').toLowerCase(), raw[i + 1] ?? '');
    }
    return headers;
  }

  append(name: string, value: string): void {
    this.#append(checkedName(name), checkedValue(value));
  }

  delete(name: string): void {
    const key = checkedName(name);
    if (key === 'set-cookie') this.#cookies = [];
    else delete this.#values[key];
  }

  get(name: string): string | null {
    const key = checkedName(name);
    if (key !== 'set-cookie') return this.#values[key] ?? null;
    return this.#cookies.length === 0 ? null : this.#cookies.join(', ');
  }

  getSetCookie(): string[] {
    return [...this.#cookies];
  }

  has(name: string): boolean {
    const key = checkedName(name);
    return key === 'set-cookie' ? this.#cookies.length > 0 : key in this.#values;
  }

  set(name: string, value: string): void {
    const key = checkedName(name);
    if (key === 'set-cookie') this.#cookies = [checkedValue(value)];
    else this.#values[key] = checkedValue(value);
  }

  forEach(callback: (value: string, name: string, all: this) => void, receiver?: unknown): void {
    for (const [name, value] of this) callback.call(receiver, value, name, this);
  }

  *entries(): IterableIterator<[string, string]> {
    const { cookies, names } = { cookies: this.#cookies, names: Object.keys(this.#values) };
    if (cookies.length > 0) names.push('set-cookie');
    for (const name of names.sort()) {
      if (name === 'set-cookie') for (const cookie of cookies) yield [name, cookie];
      else yield [name, this.#values[name] ?? ''];
    }
  }

  *keys(): IterableIterator<string> {
    for (const [name] of this) yield name;
  }

  *values(): IterableIterator<string> {
    for (const [, value] of this) yield value;
  }

  [Symbol.iterator](): IterableIterator<[string, string]> {
    return this.entries();
  }

  get [Symbol.toStringTag](): string {
    return 'Headers';
  }

  /** The names that are there, in the order in which they came, set-cookie left out. */
  names(): readonly string[] {
    return Object.keys(this.#values);
  }

  /** As `ServerResponse.writeHead` takes them. */
  toOutgoing(): Record<string, string | string[]> {
    if (this.#cookies.length === 0) return this.#values;
    return { ...this.#values, 'set-cookie': this.#cookies };
  }

  #append(key: string, value: string): void {
    if (key === 'set-cookie') {
      this.#cookies.push(value);
      return;
    }
    const present = this.#values[key];
    this.#values[key] = present === undefined ? value : `${present}, ${value}`;
  }
}

// RFC 9110, 5.6.2 (token) and the Fetch standard's "header value" (bytes, no NUL, CR, LF).
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const forbiddenInValue = /[\0\r\n]|[^\0-\xff]/;

function checkedName(name: unknown): string {
  const text = String(name);
  if (!token.test(text)) throw invalid('header name', text);
  return text.toLowerCase();
}

function checkedValue(value: unknown): string {
  const text = String(value).replace(/^[\t\n\r ]+|[\t\n\r ]+$/g, '');
  if (forbiddenInValue.test(text)) throw invalid('header value', text);
  return text;
}

function invalid(what: string, found: unknown): TypeError {
  return new TypeError(`Cannot use ${what}: found ${JSON.stringify(found)}, expected a valid one`);
}

function isIterable(value: unknown): value is Iterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.iterator in value;
}
