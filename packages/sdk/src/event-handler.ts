import type { ContextLog } from './context.ts';
import type { EventRequest, EventResponse } from './event-extensions.ts';

/** What an event-style handler is called with: the event of Kyma and Kubeless. */
export interface FunctionEvent {
  /**
   * The body: parsed for JSON and forms, text for text/*, otherwise a Buffer; for a CloudEvent its
   * data. `undefined` without a body.
   */
  data: unknown;
  extensions: { readonly request: EventRequest; readonly response: EventResponse };
  setResponseHeader(name: string, value: string): void;
  setResponseContentType(type: string): void;
  setResponseStatus(status: number): void;
  'ce-type'?: string | undefined;
  'ce-source'?: string | undefined;
  'ce-eventtypeversion'?: string | undefined;
  'ce-specversion'?: string | undefined;
  'ce-id'?: string | undefined;
  'ce-time'?: string | undefined;
  'ce-datacontenttype'?: string | undefined;
}

/** What an event-style handler learns about its call. */
export interface EventContext {
  readonly 'function-name': string;
  readonly runtime: string;
  readonly namespace: string;
  /** Seconds until the answer has to begin, and the longest silence within it. */
  readonly timeout: number;
  /** Mebibytes that the body may have. */
  readonly 'body-size-limit': number;
  readonly requestId: string;
  /** Aborts when the time is up or the caller goes away. */
  readonly signal: AbortSignal;
  /** The caller's position in a distributed trace, as W3C Trace Context writes it. */
  readonly traceparent: string | undefined;
  readonly log: ContextLog;
}

/**
 * An event-style handler: an export named `main`, or any export that `spec.handler` names.
 *
 * A string is sent as it is, an async iterable or a generator as server-sent events, other values
 * as JSON, nothing as an empty 200; an `Error` counts as thrown. Status and headers come from
 * `event.setResponseStatus` and its like.
 */
export type EventHandler = (event: FunctionEvent, context: EventContext) => unknown;

/**
 * Gives an event-style handler its types; returns it unchanged.
 *
 * @example
 * ```ts
 * import { eventHandler } from 'fnlet';
 *
 * export const main = eventHandler((event, context) => {
 *   event.setResponseStatus(202);
 *   return { from: context['function-name'], got: event.data };
 * });
 * ```
 */
export function eventHandler<Given extends EventHandler>(given: Given & EventHandler): Given {
  return given;
}
