import type { MetricFamily } from '@fnlet/base';
import type { Transport, TransportRequest } from '@fnlet/client';

interface Count {
  readonly labels: Readonly<Record<'code' | 'method' | 'resource', string>>;
  value: number;
}

/**
 * Counts what is asked of an API, as client-go does (`rest_client_requests_total`), and what about:
 * so it is seen what a Function costs the API of a cluster, and that rest costs nothing.
 *
 * I1. Names of objects are no labels: there are never more series than methods x kinds x codes.
 */
export class RequestCounter {
  readonly #counts = new Map<string, Count>();

  /** The same transport, counted. A request without an answer has the code `<error>`. */
  over(transport: Transport): Transport {
    return {
      request: async (request) => {
        let code = '<error>';
        try {
          const response = await transport.request(request);
          code = String(response.status);
          return response;
        } finally {
          this.#count(request, code);
        }
      },
      close: () => transport.close(),
      [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose](),
    };
  }

  family(): MetricFamily {
    return {
      name: 'rest_client_requests_total',
      type: 'counter',
      help: 'Requests to the API, by method, by what they are about and by the status.',
      samples: [...this.#counts.values()],
    };
  }

  #count({ method, path }: TransportRequest, code: string): void {
    const resource = resourceOf(path);
    const key = `${method} ${resource} ${code}`;
    const known = this.#counts.get(key);
    if (known !== undefined) known.value += 1;
    else this.#counts.set(key, { labels: { code, method, resource }, value: 1 });
  }
}

/**
 * What a path of the API is about: `pods`, `functions/status`; without a name, a namespace or a
 * group. Empty for what is no resource, such as discovery.
 */
export function resourceOf(path: string): string {
  const [, root, ...rest] = path.split('/');
  if (root !== 'api' && root !== 'apis') return '';
  // `api` has a version, `apis` a group and a version.
  const parts = rest.slice(root === 'api' ? 1 : 2).filter((part) => part !== '');
  const [first, , third] = parts;
  const isWithin = first === 'namespaces' && third !== undefined && !isOfNamespace.has(third);
  const [resource = '', , subresource] = isWithin ? parts.slice(2) : parts;
  return subresource === undefined ? resource : `${resource}/${subresource}`;
}

/** Parts of a Namespace itself, rather than kinds within it. */
const isOfNamespace: ReadonlySet<string> = new Set(['status', 'finalize']);
