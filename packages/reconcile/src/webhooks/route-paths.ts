import type { WebHandler } from '../web-handler.ts';

/** One handler of several, by the exact path of the URL; 404 for other paths. */
export function routePaths(handlers: Readonly<Record<string, WebHandler>>): WebHandler {
  const byPath = new Map(Object.entries(handlers));
  return async (request) => {
    const handler = byPath.get(new URL(request.url).pathname);
    return handler === undefined ? new Response('Not Found\n', { status: 404 }) : handler(request);
  };
}
