import { type HttpRoute, parseRoutePath, type Route } from '@fnlet/gateway';

/** How many Functions there are, and routes to them. */
export const routesCount = 10_000;

/** The route of a Function by its name. */
export function benchRoute(index: number): Route {
  return {
    namespace: 'default',
    function: `f${index}`,
    revision: `default/f${index}-0123456789`,
    timeoutMs: 30_000,
    wakeMs: 0,
    bodyBytesMax: 6_000_000,
    concurrencyLimit: 0,
    concurrencyTarget: 0,
  };
}

/** The host of a route: half of them share one. */
export function benchHost(index: number): string {
  return index % 2 === 0 ? 'shop.example.com' : `f${index}.example.com`;
}

/** Host and path of one's own for that Function. */
export function benchHttpRoute(index: number, below = `/api/f${index}`): HttpRoute {
  const path = parseRoutePath({ kind: 'pattern', text: `${below}/{id}` });
  return {
    id: `default/t${index}`,
    matches: [{ host: benchHost(index), path, methods: [] }],
    target: { namespace: 'default', function: `f${index}` },
  };
}
