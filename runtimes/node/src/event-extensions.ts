import type { EventRequest, EventResponse, FunctionEvent } from '@fnlet/sdk';
import type { Call } from './call.ts';
import { expressRequest } from './express-request.ts';
import { expressResponse } from './express-response.ts';

/** The request and the response of a call, as Express shows them. */
export function createExtensions(call: Call, requestBody: unknown): FunctionEvent['extensions'] {
  return new Extensions(call, requestBody);
}

// With getters: most handlers never look at Express's members, and laying them over costs.
class Extensions implements Readonly<FunctionEvent['extensions']> {
  readonly #call: Call;
  readonly #body: unknown;

  constructor(call: Call, body: unknown) {
    this.#call = call;
    this.#body = body;
  }

  get request(): EventRequest {
    return expressRequest(this.#call.request, this.#body);
  }

  get response(): EventResponse {
    return expressResponse(this.#call.response);
  }
}
