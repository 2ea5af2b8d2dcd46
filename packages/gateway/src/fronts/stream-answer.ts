import { type Body, responseBody } from '../http1/body.ts';
import { ChunkedBody } from '../http1/chunked-body.ts';
import { HeadReader } from '../http1/head-reader.ts';
import type { Part } from '../part.ts';

/** A part of an answer in the words of HTTP/2; fields are names and values in turn. */
export type AnswerEvent =
  | { readonly kind: 'interim'; readonly status: number; readonly fields: readonly string[] }
  | {
      readonly kind: 'head';
      readonly status: number;
      readonly fields: readonly string[];
      /** Whether trailers may follow the body. */
      readonly trailers: boolean;
    }
  | { readonly kind: 'content'; readonly bytes: Buffer }
  | { readonly kind: 'end'; readonly trailers: readonly string[] };

/** Fields that only mean something to one connection of HTTP/1.1, also where Instances name them. */
const connectionFields: ReadonlySet<string> = new Set([
  'connection',
  'http2-settings',
  'keep-alive',
  'proxy-connection',
  'sec-websocket-accept',
  'te',
  'transfer-encoding',
  'upgrade',
]);

/**
 * Reads the answer that the Gateway writes to one request, and tells it as HTTP/2 does. It is a
 * value that eats HTTP/1.1; what it eats is well-formed, for the Gateway wrote it.
 */
export class StreamAnswer {
  readonly #method: string;
  readonly #heads: HeadReader;
  #body: Body | 'awaited' | 'endless' = 'awaited';

  /** `headBytesMax`: what heads of answers may have, before the Gateway adds to them. */
  constructor(method: string, headBytesMax: number) {
    this.#method = method;
    this.#heads = new HeadReader({
      headBytesMax: 2 * headBytesMax,
      fieldsMax: Number.POSITIVE_INFINITY,
      startLineBytesMax: headBytesMax,
    });
  }

  /** Whether all of the answer was read. */
  get done(): boolean {
    return typeof this.#body === 'object' && this.#body.done;
  }

  /** Reads what was written next. */
  read(part: Part): AnswerEvent[] {
    const bytes = typeof part === 'string' ? Buffer.from(part, 'latin1') : part;
    const events: AnswerEvent[] = [];
    let from = 0;
    while (from < bytes.length && !this.done) {
      from =
        this.#body === 'awaited'
          ? this.#readHead(bytes, from, events)
          : this.#readBody(bytes, from, events);
    }
    return events;
  }

  #readHead(bytes: Buffer, from: number, events: AnswerEvent[]): number {
    const heads = this.#heads;
    const found = heads.read(bytes, from);
    if (found !== true) return bytes.length;
    const [line = '', ...lines] = headLines(heads);
    const status = Number(line.slice(9, 12));
    const { fields, framing } = translateFields(lines);
    if (status === 101) {
      // RFC 8441 §5: the other protocol begins with any answer of success.
      this.#body = 'endless';
      events.push({ kind: 'head', status: 200, fields, trailers: false });
    } else if (status < 200) {
      events.push({ kind: 'interim', status, fields });
    } else {
      this.#body = responseBody(framing, this.#method, status);
      events.push({ kind: 'head', status, fields, trailers: framing.chunked });
      if (this.#body.done) events.push({ kind: 'end', trailers: [] });
    }
    return heads.end;
  }

  #readBody(bytes: Buffer, from: number, events: AnswerEvent[]): number {
    const body = this.#body;
    if (typeof body === 'string') {
      events.push({ kind: 'content', bytes: from === 0 ? bytes : bytes.subarray(from) });
      return bytes.length;
    }
    const to = body.advance(bytes, from, (start, end) => {
      events.push({ kind: 'content', bytes: bytes.subarray(start, end) });
    });
    if (body.done) {
      const trailers = body instanceof ChunkedBody ? body.trailers : '';
      events.push({ kind: 'end', trailers: translateFields(trailers.split('\r\n')).fields });
    }
    return to < 0 ? bytes.length : to;
  }
}

function headLines({ bytes, start, lineEnds }: HeadReader): string[] {
  return bytes.toString('latin1', start, (lineEnds.at(-1) ?? start + 2) - 2).split('\r\n');
}

function translateFields(lines: readonly string[]): {
  readonly fields: readonly string[];
  readonly framing: { readonly chunked: boolean; readonly contentLength: number };
} {
  const fields: string[] = [];
  let chunked = false;
  let contentLength = -1;
  for (const line of lines) {
    const colon = line.indexOf(':');
    if (colon < 0) continue;
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1).replace(/^[ \t]+|[ \t]+$/g, '');
    if (name === 'transfer-encoding') chunked = true;
    if (name === 'content-length') contentLength = Number(value);
    if (!connectionFields.has(name)) fields.push(name, value);
  }
  return { fields, framing: { chunked, contentLength } };
}
