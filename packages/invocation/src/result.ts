/**
 * How a handler is written: `(request, context)`, or `(event, context)` as Fnlet, Kyma or Kubeless
 * call it.
 */
export type HandlerStyle = 'web' | 'event' | 'kyma' | 'kubeless';

/** What is sent for a handler's return value. */
export interface Result {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: ResultBody;
}

export type ResultBody =
  | { readonly kind: 'empty' }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  /** Chunks of bytes or text, sent as they come. */
  | { readonly kind: 'stream'; readonly chunks: AsyncIterable<unknown> }
  /** Items, each of them sent as one server-sent event. */
  | { readonly kind: 'events'; readonly items: AsyncIterable<unknown> }
  /** A web-standard Response brings its own status and headers. */
  | { readonly kind: 'response'; readonly response: Response };

/**
 * What a handler's (awaited) return value is answered with; docs/runtime-contract.md has the table
 * of all styles. The first rule that fits wins:
 *
 * | value | web style | event style |
 * |---|---|---|
 * | Response | as it says | as it says |
 * | undefined, null | 204 | 200, empty |
 * | string | 200, text/plain | 200, no content type |
 * | 0, false, NaN, 0n, '' | 200, as JSON or text | 200, empty |
 * | stream (web or Node) | 200, application/octet-stream | the same |
 * | async iterable, iterator (such as a generator) | 200, text/event-stream | the same |
 * | Uint8Array, other views, ArrayBuffer | 200, application/octet-stream | 200, as JSON |
 * | Blob, FormData, URLSearchParams | 200, with their own type | 200, as JSON |
 * | Error | as if it was thrown | the same |
 * | CloudEvent (an object with its four attributes) | 200, as JSON | 200, as a CloudEvent |
 * | other objects, numbers, booleans | 200, as JSON | the same |
 *
 * The event style follows what Kyma's and Kubeless's Node runtimes answer (both send a Buffer as
 * JSON), except that numbers and `true`, which fail with Kyma, are JSON too. An iterable that is not
 * an iterator, such as an array or a Map, is an object like any other. The kyma style differs in
 * functions and symbols alone, which are empty; in the kubeless style null is JSON, and numbers and
 * booleans are text without a content type.
 *
 * @throws the value itself, where it is an Error
 * @throws TypeError for what has no text: functions, symbols, bigint inside JSON, circular objects
 */
export function decideResult(value: unknown, style: HandlerStyle): Result {
  if (typeof value === 'string') return textResult(value, style);
  if (value === undefined) return style === 'web' ? noContent : emptyResult;
  if (style === 'kubeless') return decideKubelessResult(value);
  if (value === null) return style === 'web' ? noContent : emptyResult;
  if (style !== 'web' && !value) return emptyResult;
  if (style === 'kyma' && hasNoText(value)) return emptyResult;
  return typeof value === 'object' ? decideObjectResult(value, style) : jsonResult(value);
}

function decideKubelessResult(value: unknown): Result {
  if (typeof value === 'object' && value !== null) return decideObjectResult(value, 'kubeless');
  if (hasNoText(value)) return emptyResult;
  return value === null ? jsonResult(value) : textResult(JSON.stringify(value), 'kubeless');
}

function hasNoText(value: unknown): boolean {
  return typeof value === 'function' || typeof value === 'symbol';
}

function decideObjectResult(value: object, style: HandlerStyle): Result {
  if (isResponse(value)) {
    return { status: value.status, headers: {}, body: { kind: 'response', response: value } };
  }
  if (style === 'web') {
    const bytes = asBytes(value);
    if (bytes !== undefined) return okResult(octets, { kind: 'bytes', bytes });
    if (isTypedBody(value)) {
      return okResult({}, { kind: 'response', response: new Response(value) });
    }
  }
  if (isAsyncIterable(value)) {
    return isByteStream(value)
      ? okResult(octets, { kind: 'stream', chunks: value })
      : okResult(eventStream, { kind: 'events', items: value });
  }
  if (isIterator(value)) {
    return okResult(eventStream, { kind: 'events', items: asynchronous(value) });
  }
  if (value instanceof Error) throw value;
  const isEvent = (style === 'event' || style === 'kyma') && isCloudEvent(value);
  return jsonResult(value, isEvent ? cloudEvent : json);
}

const octets = { 'content-type': 'application/octet-stream' } as const;
// Proxies must pass events on as they come, and nobody may keep them (X-Accel-Buffering: nginx).
const eventStream = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache',
  'x-accel-buffering': 'no',
} as const;
const plainText = { 'content-type': 'text/plain; charset=utf-8' } as const;
const json = { 'content-type': 'application/json; charset=utf-8' } as const;
const cloudEvent = { 'content-type': 'application/cloudevents+json; charset=utf-8' } as const;

const noContent: Result = { status: 204, headers: {}, body: { kind: 'empty' } };
const emptyResult: Result = { status: 200, headers: {}, body: { kind: 'empty' } };

function okResult(headers: Readonly<Record<string, string>>, body: ResultBody): Result {
  return { status: 200, headers, body };
}

function textResult(text: string, style: HandlerStyle): Result {
  return okResult(style === 'web' ? plainText : {}, { kind: 'text', text });
}

function jsonResult(value: unknown, headers: Readonly<Record<string, string>> = json): Result {
  const text = JSON.stringify(value);
  if (text === undefined) {
    throw new TypeError(
      `Cannot answer with the handler's return value: found a ${typeof value}, expected a ` +
        'Response, text, bytes, a stream, an async iterable or a JSON value',
    );
  }
  return okResult(headers, { kind: 'text', text });
}

function asBytes(value: object): Uint8Array | undefined {
  if (value instanceof Uint8Array) return value;
  if (value instanceof ArrayBuffer) return new Uint8Array(value);
  if (ArrayBuffer.isView(value)) {
    return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  }
  return undefined;
}

// By shape and not by `instanceof`: the value may come from another copy of a class, and naming
// the global class would load the platform's fetch for handlers that never use it.
function isResponse(value: object): value is Response {
  return (
    Object.prototype.toString.call(value) === '[object Response]' &&
    'headers' in value &&
    'status' in value
  );
}

type TypedBody = Blob | FormData | URLSearchParams;

const typedBodyTags: ReadonlySet<string> = new Set([
  '[object Blob]',
  '[object File]',
  '[object FormData]',
  '[object URLSearchParams]',
]);

// As JSON these would be an empty object.
function isTypedBody(value: object): value is TypedBody {
  return typedBodyTags.has(Object.prototype.toString.call(value));
}

// The attributes that every CloudEvent has (CloudEvents 1.0, 3.1).
const cloudEventAttributes = ['specversion', 'id', 'source', 'type'];

function isCloudEvent(value: object): boolean {
  return cloudEventAttributes.every((name) => typeof Reflect.get(value, name) === 'string');
}

function isAsyncIterable(value: object): value is AsyncIterable<unknown> {
  return Symbol.asyncIterator in value && typeof value[Symbol.asyncIterator] === 'function';
}

function isIterator(value: object): value is IterableIterator<unknown> {
  return (
    Symbol.iterator in value &&
    typeof value[Symbol.iterator] === 'function' &&
    'next' in value &&
    typeof value.next === 'function'
  );
}

async function* asynchronous(items: Iterable<unknown>): AsyncGenerator<unknown> {
  yield* items;
}

// Node's Readable has `pipe`, the web's ReadableStream `getReader`; generators have neither.
function isByteStream(value: object): boolean {
  return 'pipe' in value || 'getReader' in value;
}
