/**
 * The calls that come from this process: each is an exchange like any other, but without a
 * connection of a client.
 *
 * I1. Every call has one outcome; those in progress when the Gateway closes are aborted.
 */
import type { Invocation, InvocationAnswer, InvocationFailure } from '@fnlet/invocation';
import type { Answer } from '../answer.ts';
import type { CallShare } from '../call.ts';
import type { DeadlineSweep } from '../deadline-sweep.ts';
import { Exchange, type ExchangeContext } from '../exchange.ts';
import { requestBody } from '../http1/body.ts';
import { Rejection } from '../http1/rejection.ts';
import type { RequestHead } from '../http1/request-head.ts';
import type { Route } from '../route.ts';
import type { CallTracer } from '../trace.ts';
import { InnerClient } from './inner-client.ts';
import { innerRequestHead } from './inner-request.ts';

type Outcome = InvocationAnswer | InvocationFailure;

export interface InnerCallsContext extends ExchangeContext {
  /** Its calls have no spans here: whoever makes them has, or has not. */
  readonly callTracer: CallTracer;
}

/** Where a call of a Function goes now. */
export type FindRoute = (
  call: Invocation,
  head: RequestHead,
) =>
  | {
      readonly route: Route;
      readonly revisionId: string;
      readonly target: string;
      readonly share: CallShare | undefined;
    }
  | { readonly answer: Answer };

export class InnerCalls {
  readonly #context: InnerCallsContext;
  readonly #sweep: DeadlineSweep;
  readonly #find: FindRoute;
  readonly #clients = new Set<InnerClient>();
  /** Those in progress by the signal that ends them: to listen to it for each would cost more. */
  readonly #heeded = new WeakMap<AbortSignal, Set<InnerClient>>();

  constructor(context: InnerCallsContext, sweep: DeadlineSweep, find: FindRoute) {
    this.#context = context;
    this.#sweep = sweep;
    this.#find = find;
  }

  invoke(invocation: Invocation, signal: AbortSignal): Promise<Outcome> {
    const { limits } = this.#context;
    return new Promise((resolve) => {
      const { method, remoteAddress, answerBytesMax, timeoutMs } = invocation;
      const heeding = this.#heeding(signal);
      const client = new InnerClient({
        method,
        remoteAddress,
        answerBytesMax,
        timeoutMs,
        endMs: this.#context.monotonicMs() + timeoutMs,
        limits,
        onOutcome: (outcome) => {
          heeding.delete(client);
          this.#sweep.unwatch(client);
          this.#clients.delete(client);
          resolve(outcome);
        },
      });
      if (signal.aborted || this.#context.closing()) {
        client.abort();
        return;
      }
      heeding.add(client);
      this.#clients.add(client);
      this.#sweep.watch(client);
      const head = innerRequestHead(invocation, limits);
      if (head instanceof Rejection) {
        const message = `Cannot send the call: ${head.message}`;
        client.answer({ status: 400, code: 'BadRequest', message });
      } else this.#begin(client, invocation, head);
    });
  }

  close(): void {
    for (const client of this.#clients) client.abort();
  }

  /** Who is aborted with this signal. */
  #heeding(signal: AbortSignal): Set<InnerClient> {
    const known = this.#heeded.get(signal);
    if (known !== undefined) return known;
    const clients = new Set<InnerClient>();
    const abort = (): void => {
      for (const client of clients) client.abort();
    };
    signal.addEventListener('abort', abort, { once: true });
    this.#heeded.set(signal, clients);
    return clients;
  }

  #begin(client: InnerClient, invocation: Invocation, head: RequestHead): void {
    const found = this.#find(invocation, head);
    if ('answer' in found) {
      client.answer(found.answer);
      return;
    }
    const bytes = Buffer.from(
      invocation.body.buffer,
      invocation.body.byteOffset,
      invocation.body.length,
    );
    const body = requestBody(head.framing);
    body.advance(bytes, 0);
    const { callTracer, monotonicMs } = this.#context;
    const trace = callTracer.trace(head.fields.known);
    const call = { head, body, trace, pass: undefined, arrivedMs: monotonicMs(), ...found };
    client.begin(new Exchange(call, client, this.#context), bytes);
  }
}
