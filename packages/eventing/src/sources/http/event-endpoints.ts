/**
 * Where requests of event routes go, while the sources of their Triggers run.
 *
 * I1. Who comes while a source is being started waits for it, for a while: many senders of webhooks
 *     do not come again.
 */
import { type Clock, sleep } from '@fnlet/base';
import type { ReceivedRequest, Responder, ResponderAnswer } from '@fnlet/gateway';
import { httpEventLimits } from './limits.ts';

/** Takes a request as events; never throws what senders could be told. */
export type EventHandler = (request: ReceivedRequest) => Promise<ResponderAnswer>;

/** Why requests do not come in, as the status of the Trigger says it. */
export type RouteTrouble = string | undefined;

interface Endpoint {
  readonly responder: Responder;
  /** Who takes requests now. */
  current: EventHandler | undefined;
  handler: PromiseWithResolvers<EventHandler>;
  trouble: RouteTrouble;
  onTrouble: ((trouble: RouteTrouble) => void) | undefined;
}

export class EventEndpoints {
  readonly #clock: Clock;
  readonly #endpoints = new Map<string, Endpoint>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Who answers the requests of a Trigger: the same for each call, until it is removed. */
  responder(id: string): Responder {
    return this.#of(id).responder;
  }

  /** Takes requests from now on, until the returned function is called. */
  open(id: string, handler: EventHandler, onTrouble: (trouble: RouteTrouble) => void): () => void {
    const endpoint = this.#of(id);
    endpoint.current = handler;
    endpoint.handler.resolve(handler);
    endpoint.onTrouble = onTrouble;
    onTrouble(endpoint.trouble);
    return () => {
      endpoint.current = undefined;
      endpoint.handler = Promise.withResolvers();
      endpoint.onTrouble = undefined;
    };
  }

  /** What is wrong with the route itself. */
  tell(id: string, trouble: RouteTrouble): void {
    const endpoint = this.#of(id);
    if (endpoint.trouble === trouble) return;
    endpoint.trouble = trouble;
    endpoint.onTrouble?.(trouble);
  }

  remove(id: string): void {
    this.#endpoints.delete(id);
  }

  async #respondLate(
    id: string,
    request: ReceivedRequest,
    signal: AbortSignal,
  ): Promise<ResponderAnswer> {
    const handler = await this.#await(id, signal);
    return handler === undefined ? notReady : handler(request);
  }

  async #await(id: string, signal: AbortSignal): Promise<EventHandler | undefined> {
    const enough = new AbortController();
    const waiting = sleep(
      this.#clock,
      httpEventLimits.startMs,
      AbortSignal.any([signal, enough.signal]),
    );
    const handler = await Promise.race([
      this.#of(id).handler.promise,
      waiting.then(() => undefined),
    ]);
    enough.abort();
    return handler;
  }

  #of(id: string): Endpoint {
    const found = this.#endpoints.get(id);
    if (found !== undefined) return found;
    const endpoint: Endpoint = {
      responder: {
        bodyBytesMax: httpEventLimits.bodyBytesMax,
        // A wait makes signals and a timer, which most requests need not pay for.
        respondSoon: (request) => endpoint.current?.(request),
        respond: (request, signal) =>
          endpoint.current?.(request) ?? this.#respondLate(id, request, signal),
      },
      current: undefined,
      handler: Promise.withResolvers(),
      trouble: undefined,
      onTrouble: undefined,
    };
    this.#endpoints.set(id, endpoint);
    return endpoint;
  }
}

const notReady: ResponderAnswer = {
  status: 503,
  headers: [
    ['Content-Type', 'application/json'],
    ['Retry-After', '5'],
  ],
  body: '{"status":503,"code":"NotReady","message":"Events are not taken here yet"}\n',
};
