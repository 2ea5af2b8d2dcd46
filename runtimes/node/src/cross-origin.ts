import type { Call } from './call.ts';

/**
 * What the runtimes of Kyma and Kubeless do for browsers: every answer may be read by pages of any
 * origin, and `OPTIONS` never reaches the handler but allows the method and headers asked for.
 * Returns whether the call was answered so.
 */
export function allowAllOrigins(call: Call): boolean {
  const { request, response } = call;
  response.setHeader('access-control-allow-origin', '*');
  if (request.method !== 'OPTIONS') return false;
  for (const kind of ['method', 'headers'] as const) {
    const asked = request.headers[`access-control-request-${kind}`];
    const name = kind === 'method' ? 'methods' : kind;
    if (asked !== undefined) response.setHeader(`access-control-allow-${name}`, asked);
  }
  if (call.claim('handler')) response.end();
  return true;
}
