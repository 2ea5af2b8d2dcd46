import type { Transport } from './transport.ts';

/**
 * The same way to an API, on which every request is judged as if this user had sent it. Whoever
 * sends them must be allowed to impersonate; of a ServiceAccount's groups the API knows itself.
 *
 * @example
 * const client = createClient(actAs(transport, 'system:serviceaccount:shop:sites'), options);
 */
export function actAs(transport: Transport, user: string): Transport {
  return {
    request: (request) =>
      transport.request({ ...request, headers: { ...request.headers, 'impersonate-user': user } }),
    close: () => transport.close(),
    [Symbol.asyncDispose]: () => transport.close(),
  };
}
