import { Readable } from 'node:stream';
import { encodeMultipart } from './multipart.ts';
import { platform } from './platform.ts';

/** Content whose length is known and that is in memory. */
export type PlainContent = string | Uint8Array<ArrayBuffer> | null;

/** Content that comes in from outside and can be taken once, in one of two ways. */
export interface IncomingContent {
  bytes(): Promise<Uint8Array<ArrayBuffer>>;
  stream(): ReadableStream<Uint8Array>;
}

/**
 * The body of a Request or Response, as the Fetch standard's Body mixin has it.
 *
 * I1. Content is taken once: in memory, as a stream, or from a peer.
 * I2. A stream is made only when somebody asks for one; then it owns the content.
 */
export class WebBody {
  #content: PlainContent | IncomingContent;
  #stream: ReadableStream<Uint8Array> | undefined;
  #used = false;

  constructor(content: PlainContent | IncomingContent | ReadableStream<Uint8Array>) {
    // In this order: naming ReadableStream loads it, and most bodies are none.
    if (content === null || typeof content === 'string' || !isStream(content)) {
      this.#content = content;
      return;
    }
    this.#content = null;
    this.#stream = content;
  }

  get used(): boolean {
    return this.#used || (this.#stream !== undefined && isDisturbed(this.#stream));
  }

  get unusable(): boolean {
    return this.used || this.#stream?.locked === true;
  }

  get stream(): ReadableStream<Uint8Array> | null {
    if (this.#stream !== undefined) return this.#stream;
    if (this.#content === null) return null;
    this.#stream = this.#used ? spentStream() : streamOf(this.#content);
    return this.#stream;
  }

  /** The content, if it is in memory and nobody took it yet. */
  get plain(): PlainContent | undefined {
    if (this.#used || this.#stream !== undefined || isIncoming(this.#content)) return undefined;
    return this.#content;
  }

  /** Takes the content. */
  async bytes(): Promise<Uint8Array<ArrayBuffer>> {
    if (this.unusable) throw new TypeError('Body is unusable: Body has already been read');
    if (this.#stream !== undefined) return collect(this.#stream);
    if (this.#content === null) return new Uint8Array();
    this.#used = true;
    return isIncoming(this.#content) ? this.#content.bytes() : encode(this.#content);
  }

  /** A second body with the same content. */
  clone(): WebBody {
    if (this.unusable) throw new TypeError('Body is unusable: Body has already been read');
    if (this.#stream === undefined && !isIncoming(this.#content)) return new WebBody(this.#content);
    const [one, two] = this.stream?.tee() ?? [];
    if (one === undefined || two === undefined) return new WebBody(null);
    this.#stream = one;
    return new WebBody(two);
  }
}

/** Reads a body as one of the platform's types; the methods of Request and Response. */
export const bodyReaders = {
  async text(body: WebBody): Promise<string> {
    const { buffer, byteOffset, byteLength } = await body.bytes();
    const text = Buffer.from(buffer, byteOffset, byteLength).toString('utf8');
    // "UTF-8 decode" of the Encoding standard drops a byte order mark.
    return text.startsWith('\uFEFF') ? text.slice(1) : text;
  },
  async json(body: WebBody): Promise<unknown> {
    return JSON.parse(await bodyReaders.text(body));
  },
  async arrayBuffer(body: WebBody): Promise<ArrayBuffer> {
    const bytes = await body.bytes();
    return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
  },
  async bytes(body: WebBody): Promise<Uint8Array<ArrayBuffer>> {
    // What came in is a Buffer, whose slice, toString and JSON are its own.
    const { buffer, byteOffset, byteLength } = await body.bytes();
    return new Uint8Array(buffer, byteOffset, byteLength);
  },
  async blob(body: WebBody, type: string): Promise<Blob> {
    return new Blob([await body.bytes()], { type });
  },
  async formData(body: WebBody, type: string): Promise<FormData> {
    return platform.formData(await body.bytes(), type);
  },
};

/** A body and the content type that goes with it, from what users give as `BodyInit`. */
export function extractBody(init: unknown): { readonly body: WebBody; readonly type?: string } {
  if (init === null || init === undefined) return { body: new WebBody(null) };
  if (typeof init === 'string')
    return { body: new WebBody(init), type: 'text/plain;charset=UTF-8' };
  if (init instanceof Uint8Array) return { body: new WebBody(Uint8Array.from(init)) };
  if (ArrayBuffer.isView(init)) return { body: new WebBody(bytesOfView(init)) };
  if (init instanceof ArrayBuffer) return { body: new WebBody(new Uint8Array(init.slice(0))) };
  if (init instanceof ReadableStream) return { body: new WebBody(init) };
  if (init instanceof URLSearchParams) {
    const type = 'application/x-www-form-urlencoded;charset=UTF-8';
    return { body: new WebBody(init.toString()), type };
  }
  if (init instanceof Blob) {
    const body = new WebBody(init.stream());
    return init.type === '' ? { body } : { body, type: init.type };
  }
  if (isFormData(init)) {
    const { chunks, type } = encodeMultipart(init);
    return { body: new WebBody(ReadableStream.from(chunks)), type };
  }
  if (isAsyncIterable(init)) return { body: new WebBody(ReadableStream.from(byteChunks(init))) };
  return { body: new WebBody(String(init)), type: 'text/plain;charset=UTF-8' };
}

// Node's own test; its types know only its own stream classes here.
function isDisturbed(stream: ReadableStream): boolean {
  return Reflect.apply(Readable.isDisturbed, Readable, [stream]);
}

function isStream(content: object): content is ReadableStream<Uint8Array> {
  return 'getReader' in content;
}

function isIncoming(content: PlainContent | IncomingContent): content is IncomingContent {
  return typeof content === 'object' && content !== null && 'stream' in content;
}

function encode(text: string | Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  return typeof text === 'string' ? new TextEncoder().encode(text) : text;
}

function streamOf(
  content: Exclude<PlainContent, null> | IncomingContent,
): ReadableStream<Uint8Array> {
  if (isIncoming(content)) return content.stream();
  const bytes = encode(content);
  return new ReadableStream({
    type: 'bytes',
    start(controller) {
      if (bytes.length > 0) controller.enqueue(bytes.slice());
      controller.close();
    },
  });
}

function spentStream(): ReadableStream<Uint8Array> {
  const stream = new ReadableStream<Uint8Array>({ start: (controller) => controller.close() });
  void stream.cancel();
  return stream;
}

async function collect(stream: ReadableStream<Uint8Array>): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) {
    if (!(chunk instanceof Uint8Array)) throw new TypeError('Received non-Uint8Array chunk');
    chunks.push(chunk);
  }
  return Uint8Array.from(Buffer.concat(chunks));
}

async function* byteChunks(source: AsyncIterable<unknown>): AsyncGenerator<Uint8Array> {
  for await (const chunk of source) {
    yield chunk instanceof Uint8Array ? chunk : new TextEncoder().encode(String(chunk));
  }
}

function bytesOfView(view: ArrayBufferView): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(new Uint8Array(view.buffer, view.byteOffset, view.byteLength));
}

// By its tag: naming the global class would load the platform's fetch.
function isFormData(value: unknown): value is FormData {
  return Object.prototype.toString.call(value) === '[object FormData]';
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}
