import { util } from '../builtins.ts';
import { platform } from './platform.ts';
import { WebHeaders } from './web-headers.ts';
import { WebRequest } from './web-request.ts';
import { WebResponse } from './web-response.ts';

/**
 * Puts our Headers, Request and Response in the place of the platform's, and a `fetch` before the
 * platform's that takes our Request. By assignment: Node defines these globals such that reading or
 * redefining one loads its fetch, but assigning does not.
 */
export function installWebGlobals(): void {
  const replacements = {
    Headers: WebHeaders,
    Request: WebRequest,
    Response: WebResponse,
    fetch: webFetch,
  };
  Object.assign(globalThis, replacements);
  const { custom } = util.inspect;
  for (const [{ prototype }, names] of shown) {
    Object.defineProperty(prototype, custom, {
      value(this: object) {
        return Object.fromEntries(names.map((name) => [name, Reflect.get(this, name)]));
      },
    });
  }
}

// What `console.log` shows.
const shown: readonly (readonly [{ readonly prototype: object }, readonly string[]])[] = [
  [WebRequest, ['method', 'url', 'headers', 'bodyUsed']],
  [WebResponse, ['status', 'statusText', 'headers', 'bodyUsed']],
];

async function webFetch(input: unknown, init?: RequestInit): Promise<Response> {
  if (!(input instanceof WebRequest)) return platform.fetch(String(input), init);
  const request = init === undefined ? input : new WebRequest(input, init);
  return platform.fetch(request.url, WebRequest.fetchInit(request));
}
