/**
 * Passes requests that the controller answers on to it: those that are events, for example, which
 * it keeps before it says so.
 *
 * I1. A request is sent again only while the controller cannot have taken it. What became of one
 *     whose answer is missing nobody knows: its client is told to come again.
 */
import { Agent, request } from 'node:https';
import { type Clock, hasCode, sleep } from '@fnlet/base';
import type { ReceivedRequest, Responder, ResponderAnswer } from '@fnlet/gateway';
import type { RelayPlace } from './fleet-message.ts';
import {
  relayAnswerMs,
  relayBytesMax,
  relayConnectionsMax,
  relayRetryMs,
  relayWaitMs,
} from './limits.ts';
import { readRelayedAnswer, relayPath, writeRelayedRequest } from './relay-message.ts';

export interface ControllerRelayOptions {
  /** Origin of the controller. */
  readonly controller: string;
  readonly clock: Clock;
}

/** What the controller that is connected is reached with. */
export interface RelayAccess {
  /** Shows that this Gateway is the one that is connected. */
  readonly key: string;
  /** The certificate of the authority that signed the controller's, in PEM. */
  readonly authorityPem: string;
}

export class ControllerRelay implements Disposable {
  readonly #options: ControllerRelayOptions;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: relayConnectionsMax });
  #access: RelayAccess | undefined;

  constructor(options: ControllerRelayOptions) {
    this.#options = options;
  }

  /**
   * A controller is connected from now on, or none any more: who waits for the answer of the one
   * before is told that nobody knows.
   */
  setAccess(access: RelayAccess | undefined): void {
    this.#access = access;
    this.#agent.destroy();
  }

  /** Has what comes there answered by the controller. */
  responder(place: RelayPlace, bodyBytesMax: number): Responder {
    return {
      bodyBytesMax,
      respond: (received, signal) => this.#respond(place, received, signal),
    };
  }

  [Symbol.dispose](): void {
    this.#agent.destroy();
  }

  async #respond(
    place: RelayPlace,
    received: ReceivedRequest,
    signal: AbortSignal,
  ): Promise<ResponderAnswer> {
    const { clock } = this.#options;
    const body = writeRelayedRequest({ place, request: received });
    const endMs = clock.monotonicMs() + relayWaitMs;
    while (!signal.aborted && clock.monotonicMs() < endMs) {
      const answer = await this.#ask(body, signal);
      if (answer !== undefined) return answer;
      await sleep(clock, relayRetryMs, signal);
    }
    return unavailable('No controller leads just now');
  }

  /** `undefined`: it was not taken, and may be by who leads next. */
  async #ask(body: Buffer, signal: AbortSignal): Promise<ResponderAnswer | undefined> {
    const access = this.#access;
    if (access === undefined) return undefined;
    try {
      const { status, bytes } = await this.#send(access, body, signal);
      // Another controller has other keys.
      if (status === 401) return undefined;
      const answer = status === 200 ? readRelayedAnswer(bytes) : undefined;
      return answer ?? unavailable('The controller cannot take it just now');
    } catch (error) {
      if (hasCode(error, 'ECONNREFUSED')) return undefined;
      return unavailable('The controller is gone, and may have taken it');
    }
  }

  #send(
    { key, authorityPem: ca }: RelayAccess,
    body: Buffer,
    signal: AbortSignal,
  ): Promise<{ readonly status: number; readonly bytes: Buffer }> {
    const { controller, clock } = this.#options;
    const { promise, resolve, reject } = Promise.withResolvers<{
      readonly status: number;
      readonly bytes: Buffer;
    }>();
    const sending = request(new URL(relayPath, controller), {
      ...{ method: 'POST', agent: this.#agent, ca, signal },
      headers: { authorization: `Bearer ${key}`, 'content-length': body.length },
    });
    sending.once('response', (response) => {
      const chunks: Buffer[] = [];
      let left = relayBytesMax;
      response.on('data', (chunk: Buffer) => {
        left -= chunk.length;
        if (left < 0) response.destroy(new Error('the answer is too long'));
        else chunks.push(chunk);
      });
      response.once('error', reject);
      response.once('end', () => {
        resolve({ status: response.statusCode ?? 502, bytes: Buffer.concat(chunks) });
      });
    });
    sending.once('error', reject);
    const late = clock.after(relayAnswerMs, () => {
      sending.destroy(new Error('the controller says nothing'));
    });
    sending.end(body);
    return promise.finally(() => late.cancel());
  }
}

function unavailable(message: string): ResponderAnswer {
  return {
    status: 503,
    headers: [
      ['Content-Type', 'application/json'],
      ['Retry-After', '2'],
    ],
    body: `${JSON.stringify({ status: 503, code: 'ControllerUnreachable', message })}\n`,
  };
}
