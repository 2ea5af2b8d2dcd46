import type { Context } from './context.ts';

/**
 * What a handler may return (or promise):
 *
 * - a `Response`: sent as it is;
 * - a string: text/plain; bytes or a stream: application/octet-stream;
 * - an async iterable, or an iterator such as a generator: server-sent events, one for each item;
 * - nothing: 204; an `Error`: as if it was thrown; any other value: JSON.
 */
export type HandlerResult =
  | Response
  | string
  | Uint8Array
  | ArrayBuffer
  | ReadableStream
  | AsyncIterable<unknown>
  | IterableIterator<unknown>
  | object
  | number
  | boolean
  | null
  | undefined
  // biome-ignore lint/suspicious/noConfusingVoidType: a handler without a return statement is one
  | void;

/** A web-style handler: the default export of a function's module. */
export type Handler = (
  request: Request,
  context: Context,
) => HandlerResult | Promise<HandlerResult>;

/**
 * Gives a handler its types; returns it unchanged.
 *
 * @example
 * ```ts
 * import { handler } from 'fnlet';
 *
 * export default handler(async (request, { log }) => {
 *   const { name } = await request.json();
 *   log.info('greeting', { name });
 *   return `Hello ${name}`;
 * });
 * ```
 */
export function handler<Given extends Handler>(given: Given & Handler): Given {
  return given;
}
