/**
 * Events that a program of the user's sends.
 *
 * I1. Nothing is read of a request without the token; without a Secret nobody gets in.
 * I2. 202 is answered when all events of a request are durable, and not before.
 */
import { customSourceName } from '@fnlet/api';
import type { ReceivedRequest, ResponderAnswer } from '@fnlet/gateway';
import { assertKeepable } from '../../event/event-entry.ts';
import { parseHttpEvents } from '../../event/http-event.ts';
import {
  acceptedAnswer,
  otherMethodAnswer,
  refusedAnswer,
  toHttpHeaders,
} from '../../ingress/event-answers.ts';
import { createAcceptInTime } from '../http/accept-in-time.ts';
import type { EventEndpoints } from '../http/event-endpoints.ts';
import { serveEvents } from '../http/serve-events.ts';
import type { Source, SourceContext } from '../source.ts';
import { customEndpoint } from './custom-endpoint.ts';
import { customLimits } from './limits.ts';
import { isSameToken, shownToken } from './source-token.ts';

export interface CustomEventSourceOptions {
  readonly context: SourceContext;
  readonly endpoints: EventEndpoints;
}

export class CustomEventSource implements Source {
  readonly #options: CustomEventSourceOptions;
  readonly #accept: SourceContext['accept'];
  #token: { readonly value: string | undefined; readonly readMs: number } | undefined;

  constructor(options: CustomEventSourceOptions) {
    this.#options = options;
    this.#accept = createAcceptInTime(options.context);
  }

  run(signal: AbortSignal): Promise<void> {
    const { endpoints, context } = this.#options;
    const id = customEndpoint(context.namespace, context.name);
    const take = (request: ReceivedRequest): Promise<ResponderAnswer> => this.#take(request);
    return serveEvents({ endpoints, context, id, take }, signal);
  }

  async #take(request: ReceivedRequest): Promise<ResponderAnswer> {
    const headers = toHttpHeaders(request.headers);
    const { authorization } = headers;
    const shown = shownToken(typeof authorization === 'string' ? authorization : undefined);
    if (shown === undefined || !(await this.#isRight(shown))) return refusedAnswer();
    if (request.method !== 'POST') return otherMethodAnswer(request);
    const events = parseHttpEvents(headers, request.body);
    for (const event of events) assertKeepable(event);
    await this.#accept(events);
    return acceptedAnswer(events);
  }

  /** I1 */
  async #isRight(shown: string): Promise<boolean> {
    if (matches(shown, await this.#read(customLimits.tokenMs))) return true;
    // It may have been made anew meanwhile.
    return matches(shown, await this.#read(customLimits.tokenAgainMs));
  }

  async #read(oldMs: number): Promise<string | undefined> {
    const { clock, name, secret } = this.#options.context;
    const nowMs = clock.monotonicMs();
    if (this.#token === undefined || nowMs - this.#token.readMs > oldMs) {
      this.#token = { value: await secret(customSourceName(name), 'token'), readMs: nowMs };
    }
    return this.#token.value;
  }
}

function matches(shown: string, expected: string | undefined): boolean {
  return expected !== undefined && expected !== '' && isSameToken(shown, expected);
}
