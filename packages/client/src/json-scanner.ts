/**
 * Reads from the bytes of a JSON document what a projection keeps, without building the rest.
 *
 * I1. What is kept is what `JSON.parse` and `projectValue` would give, for every document that
 *     `JSON.parse` takes. What is left out is only searched for its end, so that a mistake in it may
 *     go unseen: it comes from a server that writes JSON.
 * I2. Nothing is read beyond `end`; a document that ends early is a SyntaxError.
 */
import { limits } from './limits.ts';
import type { Projection } from './projection.ts';
import { StringPool } from './string-pool.ts';

/** A projection that finds fields by their bytes. */
export type ScanPlan = 'all' | 'none' | PartPlan;

interface PartPlan {
  readonly fields: readonly PlannedField[];
  readonly others: 'all' | 'none';
  readonly items: ScanPlan;
}

interface PlannedField {
  readonly name: string;
  readonly bytes: Buffer;
  readonly plan: ScanPlan;
}

/** Makes a projection ready for {@link JsonScanner}. */
export function planScan(projection: Projection): ScanPlan {
  if (typeof projection === 'string') return projection;
  const { fields, others, items } = projection;
  return {
    fields: [...fields].map(([name, field]) => ({
      name,
      bytes: Buffer.from(name),
      plan: planScan(field),
    })),
    others,
    items: planScan(items),
  };
}

/** Reads document after document. */
export class JsonScanner {
  #bytes: Buffer = Buffer.alloc(0);
  #at = 0;
  #end = 0;
  #depth = 0;
  readonly #names = new StringPool(limits.pooledNamesLog2, internalized);
  readonly #texts = new StringPool(limits.pooledTextsLog2, ascii);

  /**
   * What `plan` keeps of the document from `start` to `end`; `undefined` when that is nothing.
   *
   * @throws SyntaxError
   */
  read(document: { bytes: Buffer; start: number; end: number }, plan: ScanPlan): unknown {
    this.#bytes = document.bytes;
    this.#at = document.start;
    this.#end = document.end;
    this.#depth = 0;
    this.#space();
    const value = this.#value(plan);
    this.#space();
    if (this.#at < this.#end) throw this.#unexpected('the end');
    return value;
  }

  #value(plan: ScanPlan): unknown {
    if (plan === 'none') return this.#skip();
    const byte = this.#bytes[this.#at] ?? 0;
    if (byte === code.openObject) return this.#object(plan);
    if (byte === code.openList) return this.#list(plan);
    if (plan !== 'all') return this.#skip();
    if (byte === code.quote) return this.#text(this.#texts);
    return this.#scalar();
  }

  #object(plan: PartPlan | 'all'): object | undefined {
    if (plan !== 'all' && plan.fields.length === 0 && plan.others === 'none') return this.#skip();
    this.#enter();
    const object: Record<string, unknown> = {};
    if (!this.#leaves(code.closeObject)) {
      do this.#field(object, plan);
      while (this.#continues(code.closeObject));
    }
    this.#depth -= 1;
    return object;
  }

  #field(object: Record<string, unknown>, plan: PartPlan | 'all'): void {
    this.#space();
    if (this.#bytes[this.#at] !== code.quote) throw this.#unexpected('a field');
    const field = plan === 'all' ? undefined : this.#planned(plan.fields);
    const fieldPlan = field?.plan ?? (plan === 'all' ? 'all' : plan.others);
    let name = field?.name;
    if (fieldPlan === 'none') this.#skipText();
    else if (name === undefined) name = this.#text(this.#names);
    else this.#skipText();
    this.#space();
    if (this.#bytes[this.#at] !== code.colon) throw this.#unexpected('":"');
    this.#at += 1;
    this.#space();
    const value = this.#value(fieldPlan);
    if (name !== undefined) setField(object, name, value);
  }

  /** The field whose name stands here. */
  #planned(fields: readonly PlannedField[]): PlannedField | undefined {
    const start = this.#at + 1;
    for (const field of fields) {
      const { bytes } = field;
      const end = start + bytes.length;
      if (this.#bytes[end] === code.quote && this.#holds(bytes, start)) return field;
    }
    return this.#nameIsEscaped(start) ? this.#plannedByText(fields) : undefined;
  }

  #holds(bytes: Buffer, start: number): boolean {
    for (let n = 0; n < bytes.length; n++) {
      if (this.#bytes[start + n] !== bytes[n]) return false;
    }
    return true;
  }

  #nameIsEscaped(start: number): boolean {
    for (let at = start; at < this.#end; at++) {
      const byte = this.#bytes[at];
      if (byte === code.backslash) return true;
      if (byte === code.quote) return false;
    }
    return false;
  }

  #plannedByText(fields: readonly PlannedField[]): PlannedField | undefined {
    const start = this.#at;
    const text = this.#text(this.#names);
    this.#at = start;
    return fields.find(({ name }) => name === text);
  }

  #list(plan: PartPlan | 'all'): unknown[] | undefined {
    const itemPlan = plan === 'all' ? 'all' : plan.items;
    if (itemPlan === 'none') return this.#skip();
    this.#enter();
    const list: unknown[] = [];
    if (!this.#leaves(code.closeList)) {
      do {
        this.#space();
        const item = this.#value(itemPlan);
        if (item !== undefined) list.push(item);
      } while (this.#continues(code.closeList));
    }
    this.#depth -= 1;
    // A list that has grown item by item has room for 16 more, each time.
    return list.slice();
  }

  #enter(): void {
    this.#at += 1;
    this.#depth += 1;
    if (this.#depth > limits.nestingMax) throw this.#unexpected(`${limits.nestingMax} levels`);
  }

  /** Steps over the end of an object or list without anything in it. */
  #leaves(close: number): boolean {
    this.#space();
    if (this.#bytes[this.#at] !== close) return false;
    this.#at += 1;
    return true;
  }

  /** Steps over a comma, after which something follows, or over the end. */
  #continues(close: number): boolean {
    this.#space();
    const byte = this.#bytes[this.#at];
    if (byte !== code.comma && byte !== close) throw this.#unexpected('"," or an end');
    this.#at += 1;
    return byte === code.comma;
  }

  #text(pool: StringPool): string {
    const bytes = this.#bytes;
    const start = this.#at + 1;
    let ored = 0;
    let escaped = false;
    let at = start;
    for (; at < this.#end; at++) {
      const byte = bytes[at] ?? 0;
      if (byte === code.quote) break;
      if (byte === code.backslash) {
        escaped = true;
        at += 1;
      }
      ored |= byte;
    }
    if (at >= this.#end) throw this.#unexpected('the end of a text', this.#end);
    this.#at = at + 1;
    if (escaped) return unescaped(bytes, start - 1, at + 1);
    if (ored > 127) return bytes.toString('utf8', start, at);
    if (at - start > limits.pooledTextMax) return bytes.toString('latin1', start, at);
    return pool.get(bytes, start, at);
  }

  #scalar(): unknown {
    const start = this.#at;
    this.#skipScalar();
    const text = this.#bytes.toString('latin1', start, this.#at);
    if (text === 'true') return true;
    if (text === 'false') return false;
    if (text === 'null') return null;
    if (!numberPattern.test(text)) throw this.#unexpected('a value', start);
    return Number(text);
  }

  /** Steps over a value. */
  #skip(): undefined {
    const byte = this.#bytes[this.#at] ?? 0;
    if (byte === code.quote) this.#skipText();
    else if (byte === code.openObject || byte === code.openList) this.#skipNested();
    else this.#skipScalar();
    return undefined;
  }

  #skipText(): void {
    const end = endOfText(this.#bytes, this.#at + 1, this.#end);
    if (end < 0) throw this.#unexpected('the end of a text', this.#end);
    this.#at = end;
  }

  #skipScalar(): void {
    const start = this.#at;
    while (this.#at < this.#end && !isDelimiter(this.#bytes[this.#at] ?? 0)) this.#at += 1;
    if (this.#at === start) throw this.#unexpected('a value');
  }

  // The loop in which most of the time is spent: nine tenths of an object are not kept.
  #skipNested(): void {
    const bytes = this.#bytes;
    const end = this.#end;
    let at = this.#at;
    let depth = 0;
    while (at < end) {
      const byte = bytes[at] ?? 0;
      at += 1;
      if (byte === code.quote) {
        at = endOfText(bytes, at, end);
        if (at < 0) break;
      } else if (byte === code.openObject || byte === code.openList) depth += 1;
      else if (byte === code.closeObject || byte === code.closeList) {
        depth -= 1;
        if (depth === 0) {
          this.#at = at;
          return;
        }
      }
    }
    throw this.#unexpected('the end of an object or list', end);
  }

  #space(): void {
    while (this.#at < this.#end && isSpace(this.#bytes[this.#at] ?? 0)) this.#at += 1;
  }

  #unexpected(expected: string, at = this.#at): SyntaxError {
    const byte = this.#bytes[at];
    const found = at >= this.#end || byte === undefined ? 'the end' : `byte ${byte}`;
    return new SyntaxError(`found ${found} at ${at}, expected ${expected}`);
  }
}

const code = {
  quote: 0x22,
  backslash: 0x5c,
  comma: 0x2c,
  colon: 0x3a,
  openObject: 0x7b,
  closeObject: 0x7d,
  openList: 0x5b,
  closeList: 0x5d,
} as const;

const numberPattern = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

function isDelimiter(byte: number): boolean {
  return (
    byte === code.comma || byte === code.closeObject || byte === code.closeList || isSpace(byte)
  );
}

/** Behind the quote that ends the text; negative when there is none before `end`. */
function endOfText(bytes: Buffer, start: number, end: number): number {
  for (let at = start; at < end; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === code.quote) return at + 1;
    if (byte === code.backslash) at += 1;
  }
  return -1;
}

// A field may come twice; the last one counts, also when it is not kept.
function setField(object: Record<string, unknown>, name: string, value: unknown): void {
  if (value === undefined) {
    if (Object.hasOwn(object, name)) delete object[name];
  } else if (name === '__proto__') {
    const property = { value, writable: true, enumerable: true, configurable: true };
    Object.defineProperty(object, name, property);
  } else object[name] = value;
}

function ascii(bytes: Buffer, start: number, end: number): string {
  return bytes.toString('latin1', start, end);
}

// A name that V8 keeps as property name anyway: setting a field by it then needs no search.
function internalized(bytes: Buffer, start: number, end: number): string {
  const text = bytes.toString('latin1', start, end);
  return Object.keys({ [text]: true })[0] ?? text;
}

function unescaped(bytes: Buffer, start: number, end: number): string {
  return String(JSON.parse(bytes.toString('utf8', start, end)));
}
