import type { Transport, TransportRequest, TransportResponse } from '@fnlet/client';
import { StatusError } from '@fnlet/machinery';

/** An API of which a test writes every answer: returns the body, or throws a StatusError. */
export type Script = (request: TransportRequest) => unknown;

/** A Transport without anything behind it. */
export function createScriptedTransport(script: Script): Transport {
  return {
    async request(request) {
      try {
        return answer(200, await script(request));
      } catch (error) {
        if (error instanceof StatusError) return answer(error.status.code, error.status);
        throw error;
      }
    },
    close: () => Promise.resolve(),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

function answer(status: number, body: unknown): TransportResponse {
  return {
    status,
    headers: { 'content-type': 'application/json' },
    json: () => Promise.resolve(body),
    async *documents() {
      yield body;
    },
    async *bytes() {
      yield new TextEncoder().encode(JSON.stringify(body));
    },
  };
}
